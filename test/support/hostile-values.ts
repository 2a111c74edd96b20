import { runInNewContext } from 'node:vm';
import { sharedSymbol } from '../../src/records/shared-state.ts';

/** Stands where no report may ever take it from. */
export const SECRET = 'hunter2-the-credential';
export const boom = (): never => {
  throw new Error('a trap');
};
const oddBoom = (): never => {
  throw Object.create(null);
};

function revokedProxy(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

/** A handler of which every trap does the same. */
function handlerOf(trap: () => never): ProxyHandler<object> {
  return new Proxy({}, { get: () => trap });
}

function endless(): object {
  return {
    message: 'link',
    get cause(): object {
      return endless();
    },
  };
}

function deep(links: number): object {
  let error: object = new Error('bottom');
  for (let link = 0; link < links; link += 1) error = { cause: error };
  return error;
}

function cyclic(): Error {
  const error = new Error('a');
  error.cause = new Error('b', { cause: new Error('c', { cause: error }) });
  return error;
}

class OddName extends Error {
  override get name(): never {
    return boom();
  }
}

function withMembers(error: object, members: PropertyDescriptorMap): object {
  return Object.defineProperties(error, members);
}

const requestLike = { headers: { authorization: SECRET }, body: SECRET, options: { auth: SECRET } };

/** What JavaScript lets people throw or attach as a cause. Made anew for each test. */
export const HOSTILE: [what: string, make: () => unknown][] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['NaN', () => Number.NaN],
  ['an empty text', () => ''],
  ['a symbol', () => Symbol('odd')],
  ['a bigint of a million digits', () => 1n << 3_000_000n],
  ['a function', () => boom],
  ['a class', () => OddName],
  ['a promise', () => Promise.resolve(1)],
  ['a thenable that throws', () => Object.defineProperty({ message: 'm' }, 'then', { value: boom })],
  ['a lone surrogate', () => '\ud800'],
  ['a text of 20 MB', () => 'x'.repeat(20_000_000)],
  ['a message of 20 MB of pairs', () => new Error('😀'.repeat(5_000_000))],
  ['a message of 4 kB of what looks like credentials', () => new Error('token=":'.repeat(512))],
  ['a proxy whose every trap throws', () => new Proxy({}, handlerOf(boom))],
  ['a proxy whose every trap throws no error', () => new Proxy(new Error('x'), handlerOf(oddBoom))],
  ['a callable proxy whose every trap throws', () => new Proxy(boom, handlerOf(boom))],
  ['a revoked proxy', () => revokedProxy({})],
  ['a revoked proxy of a list', () => revokedProxy([])],
  ['a proxy that has everything', () => new Proxy({}, { get: () => 'x', has: () => true })],
  [
    'a proxy that gives itself',
    () => {
      const all: object = new Proxy(() => all, { get: () => all, apply: () => all });
      return all;
    },
  ],
  ['no prototype', () => Object.create(null)],
  ['frozen', () => Object.freeze(new Error('frozen'))],
  ['sealed', () => Object.seal(new Error('sealed'))],
  ['a list as the error', () => [new Error('in a list')]],
  [
    'getters that throw',
    () =>
      withMembers(new Error('x'), {
        message: { get: boom },
        cause: { get: boom },
        status: { get: oddBoom },
        response: { get: boom },
        errors: { get: boom },
        constructor: { get: boom },
      }),
  ],
  [
    'members of odd types',
    () =>
      withMembers(new Error('x'), {
        message: { value: { toString: boom } },
        name: { value: Symbol('n') },
        code: { value: {} },
        status: { value: { valueOf: boom } },
      }),
  ],
  ['a name that throws', () => new OddName('m')],
  ['no text of its own', () => ({ [Symbol.toPrimitive]: boom, toString: boom, valueOf: boom })],
  ['a cause cycle', cyclic],
  [
    'its own cause',
    () => {
      const error = new Error('self');
      error.cause = error;
      return error;
    },
  ],
  ['a cause that never ends', endless],
  ['a chain of 100,000', () => deep(100_000)],
  ['a list as cause', () => new Error('x', { cause: [new Error('y')] })],
  ['an error of another realm', () => runInNewContext('new TypeError("m", { cause: new RangeError("n") })')],
  ['an error of another realm with a getter', () => runInNewContext('({ get cause() { throw new Error("x") } })')],
  ['a DOMException', () => new DOMException('m', 'AbortError')],
  ['nested aggregates', () => new AggregateError([new AggregateError([new AggregateError([])])])],
  ['inner errors that are a revoked proxy', () => Object.assign(new Error(''), { errors: revokedProxy([]) })],
  ['inner errors that throw', () => Object.assign(new Error(''), { errors: new Proxy([], handlerOf(boom)) })],
  [
    'inner errors that never end',
    () =>
      Object.assign(new Error(''), {
        errors: new Proxy([], { get: (_target, key) => (key === 'length' ? 1e15 : { message: 'm' }) }),
      }),
  ],
  [
    'a request, a body and credentials',
    () =>
      Object.assign(new Error('refused'), {
        request: requestLike,
        response: { status: 401, data: SECRET, config: requestLike },
        config: requestLike,
        headers: requestLike.headers,
        stack: SECRET,
      }),
  ],
  [
    'credentials in the message',
    () => new Error(`401: https://me:${SECRET}@h/p?api_key=${SECRET} Authorization: Bearer ${SECRET}`),
  ],
  ['pretends with nothing', () => ({ [sharedSymbol('event')]: {} })],
  [
    'pretends with a bad record',
    () => ({ [sharedSymbol('event')]: { record: { event_id: 'x', boundary: SECRET }, provenance: 'here' } }),
  ],
  [
    'pretends with a record that throws',
    () => ({
      [sharedSymbol('event')]: {
        record: {
          event_id: 'x',
          get boundary(): never {
            return boom();
          },
        },
      },
    }),
  ],
  ['pretends with a getter that throws', () => Object.defineProperty({}, sharedSymbol('event'), { get: boom })],
  ['pretends with a revoked proxy', () => ({ [sharedSymbol('event')]: revokedProxy({}) })],
  [
    'pretends with a bottomless record',
    () => ({
      [sharedSymbol('event')]: { record: { event_id: 'x', details: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) } },
    }),
  ],
];
