import { once } from 'node:events';
import http from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { failureReportFor } from '../../../src/failures/cause-chain.ts';
import { FailureReport } from '../../../src/records/failure-report.ts';
import { FailureHeader } from '../../../src/transport/header.ts';
import { failRequest, observeFailure } from '../../../src/transport/observe.ts';
import { failure, reportOf } from '../../support/http-failures.ts';
import { type Listener, rawReply, readRaw, replyOf, served, withServer } from '../../support/http-raw.ts';

const OURS = reportOf('ours');
const OURS_VALUE = FailureHeader.encode(OURS)[FailureHeader.NAME] ?? '';
const NAME = FailureHeader.NAME;

/** Each way in which a reply can leave. */
const WAYS_OUT: Record<string, Listener> = {
  'end()': (_, res) => res.end(),
  'end(text)': (_, res) => res.end('body'),
  'end(text with é)': (_, res) => res.end('bodé'),
  'end(buffer)': (_, res) => res.end(Buffer.from('body')),
  'write, then end': (_, res) => {
    res.write('one');
    res.end('two');
  },
  flushHeaders: (_, res) => {
    res.flushHeaders();
    setImmediate(() => res.end('late'));
  },
  pipe: (_, res) => Readable.from(['a', 'b']).pipe(res),
  'statusCode and statusMessage': (_, res) => {
    res.statusCode = 418;
    res.statusMessage = 'Teapot';
    res.end();
  },
  'setHeader, then end': (_, res) => {
    res.setHeader('X-App', 'yes');
    res.setHeader('Set-Cookie', ['a=1', 'b=2']);
    res.end('body');
  },
  'writeHead(status)': (_, res) => res.writeHead(404).end('no'),
  'writeHead(status, message)': (_, res) => res.writeHead(404, 'Gone Fishing').end('no'),
  'writeHead(status, object)': (_, res) =>
    res.writeHead(500, { 'X-App': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('no'),
  'writeHead(status, message, object)': (_, res) => res.writeHead(500, 'Broken', { 'X-App': 'yes' }).end('no'),
  'writeHead(status, undefined, object)': (_, res) => res.writeHead(500, undefined, { 'X-App': 'yes' }).end('no'),
  'writeHead(status, object of no prototype)': (_, res) =>
    res.writeHead(500, Object.assign(Object.create(null), { 'X-App': 'yes' })).end('no'),
  'writeHead(status, flat array)': (_, res) =>
    res.writeHead(500, ['X-App', 'yes', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('no'),
  'writeHead(status, message, flat array)': (_, res) => res.writeHead(500, 'Broken', ['X-App', 'yes']).end('no'),
  'writeHead(status, empty array)': (_, res) => res.writeHead(500, []).end('no'),
  'writeHead(status, pairs)': (_, res) => {
    // Node takes pairs, its types do not know them.
    const pairs: unknown = [
      ['X-App', 'yes'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ];
    Reflect.apply(res.writeHead, res, [500, pairs]);
    res.end('no');
  },
  'setHeader, then writeHead with an object': (_, res) => {
    res.setHeader('X-App', 'yes');
    res.setHeader('X-Other', 'first');
    res.writeHead(500, { 'x-other': 'second' }).end('no');
  },
  'setHeader, then writeHead with a flat array': (_, res) => {
    res.setHeader('X-App', 'yes');
    res.writeHead(500, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('no');
  },
  '204': (_, res) => res.writeHead(204).end(),
  '304': (_, res) => res.writeHead(304, { ETag: '"1"' }).end(),
  'early hints, then end': (_, res) => {
    res.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => res.end('body'));
  },
  'a handler that answers later': (_, res) => setTimeout(() => res.end('later'), 5),
};

describe('the report on every way out', () => {
  for (const [way, listener] of Object.entries(WAYS_OUT)) {
    it(`${way}: one header, and the rest as without it`, async () => {
      const bare = final(await replyOf(listener));
      const carried = final(await replyOf(listener, { report: OURS }));
      expect(carried.reports).toEqual([OURS_VALUE]);
      expect(carried.head).toEqual(bare.head);
      expect(carried.body).toBe(bare.body);
    });

    it(`${way}: not a byte changes when nothing happened`, async () => {
      const bare = await replyOf(listener);
      const empty = await replyOf(listener, {});
      expect(empty.raw).toBe(bare.raw);
    });
  }

  it('a HEAD request', async () => {
    const head = 'HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const listener: Listener = (_, res) => res.writeHead(200, { 'Content-Length': '4' }).end('body');
    const bare = await replyOf(listener, undefined, head);
    const carried = await replyOf(listener, { report: OURS }, head);
    expect(carried.reports).toEqual([OURS_VALUE]);
    expect([carried.head, carried.body]).toEqual([bare.head, '']);
  });

  it('informational replies do not carry it', async () => {
    const listener: Listener = (_, res) => {
      res.writeContinue();
      res.writeProcessing();
      res.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => res.end('body'));
    };
    const { raw } = await replyOf(listener, { report: OURS });
    const heads = raw.split('\r\n\r\n');
    expect(heads.slice(0, 3).map((head) => head.split('\r\n')[0])).toEqual([
      'HTTP/1.1 100 Continue',
      'HTTP/1.1 102 Processing',
      'HTTP/1.1 103 Early Hints',
    ]);
    expect(heads.slice(0, 3).join('').toLowerCase()).not.toContain(NAME.toLowerCase());
    expect(heads[3]).toContain(OURS_VALUE);
  });

  it('a switch of protocols written by hand stays as it is', async () => {
    const listener: Listener = (_, res) => {
      res.writeHead(101, { Upgrade: 'x', Connection: 'Upgrade' });
      res.end();
    };
    const [bare, carried] = [await replyOf(listener), await replyOf(listener, { report: OURS })];
    expect(carried.raw).toBe(bare.raw);
  });

  it('every reply of pipelined requests has its own', async () => {
    let requests = 0;
    const server = http.createServer(
      served(
        (req, res) => setTimeout(() => res.end(req.url), req.url === '/1' ? 20 : 1),
        (scope) => scope.log?.keep(reportOf(`of-request-${++requests}`)),
      ),
    );
    const close = 'GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const raw = await withServer(server, (port) =>
      rawReply(port, `GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n${close}`),
    );
    expect(raw.match(/of-request-\d(?=":)/g)).toEqual(['of-request-1', 'of-request-2', 'of-request-3']);
    expect(raw.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  });
});

describe('a report that the app set itself', () => {
  const APPS = FailureHeader.encode(failureReportFor(failure('apps')))[NAME] ?? '';
  const SETTERS: Record<string, (res: http.ServerResponse, value: string) => void> = {
    setHeader: (res, value) => res.setHeader(NAME, value).writeHead(500).end('no'),
    'setHeader in lower case': (res, value) => res.setHeader(NAME.toLowerCase(), value).end('no'),
    'setHeader beside an object': (res, value) => res.setHeader(NAME, value).writeHead(500, { a: 'b' }).end('no'),
    'setHeader beside an array': (res, value) => res.setHeader(NAME, value).writeHead(500, ['a', 'b']).end('no'),
    'an object': (res, value) => res.writeHead(500, { 'x-Ng-failure-REPORT': value, a: 'b' }).end('no'),
    'an object beside other headers': (res, value) =>
      res
        .setHeader('c', 'd')
        .writeHead(500, { [NAME.toUpperCase()]: value, a: 'b' })
        .end('no'),
    'a flat array': (res, value) => res.writeHead(500, [NAME.toLowerCase(), value, 'a', 'b']).end('no'),
    pairs: (res, value) => {
      const pairs: unknown = [
        [NAME, value],
        ['a', 'b'],
      ];
      Reflect.apply(res.writeHead, res, [500, pairs]);
      res.end('no');
    },
  };

  for (const [how, set] of Object.entries(SETTERS)) {
    it(`${how}: is merged into, and its own failure stays the reply's`, async () => {
      const bare = await replyOf((_, res) => set(res, APPS));
      const carried = await replyOf((_, res) => set(res, APPS), { report: OURS });
      expect(carried.reports).toHaveLength(1);
      const report = FailureHeader.decode([[NAME, carried.reports[0]]]);
      expect([report?.failureId, [...(report?.events.keys() ?? [])]]).toEqual(['apps', ['apps', 'ours']]);
      expect([carried.head, carried.body]).toEqual([bare.head, bare.body]);
    });

    it(`${how}: stays as it was written with nothing to add`, async () => {
      const odd = `  ${APPS.replace('{', '{ ')}`.trim();
      const bare = await replyOf((_, res) => set(res, odd));
      expect((await replyOf((_, res) => set(res, odd), {})).raw).toBe(bare.raw);
      // The log has nothing that the app's report lacks.
      const same = { report: failureReportFor(failure('apps')).asObservations() };
      expect((await replyOf((_, res) => set(res, odd), same)).raw).toBe(bare.raw);
    });

    it(`${how}: an invalid one reads as omitted`, async () => {
      const carried = await replyOf((_, res) => set(res, '{"events":'), { report: OURS });
      expect(carried.reports).toHaveLength(1);
      const report = FailureHeader.decode([[NAME, carried.reports[0]]]);
      expect([report?.omitted, [...(report?.events.keys() ?? [])]]).toEqual([true, ['ours']]);
    });
  }

  it('several values become one header', async () => {
    const two = ['a', 'b'].map((id) => FailureHeader.encode(reportOf(id))[NAME] ?? '');
    const ways: Listener[] = [
      (_, res) => res.setHeader(NAME, two).end(),
      (_, res) => res.writeHead(200, { [NAME]: two }).end(),
      (_, res) => res.writeHead(200, [NAME, two[0] ?? '', NAME.toLowerCase(), two[1] ?? '']).end(),
      (_, res) =>
        res
          .setHeader(NAME, two[0] ?? '')
          .writeHead(200, { [NAME]: two[1] })
          .end(),
    ];
    for (const way of ways) {
      const { reports } = await replyOf(way, { report: OURS });
      expect(reports).toHaveLength(1);
      const ids = FailureHeader.decode([[NAME, reports[0]]])?.events.keys() ?? [];
      expect([...ids]).toEqual(['a', 'b', 'ours']);
    }
  });
});

describe('wrong calls', () => {
  /** What a call throws, as far as an app can tell. */
  function thrown(call: () => unknown): unknown {
    try {
      call();
      return 'nothing';
    } catch (error) {
      if (!(error instanceof Error)) return error;
      return [error.constructor.name, error.message, Reflect.get(error, 'code')];
    }
  }

  const WRONG: Record<string, (res: http.ServerResponse) => unknown> = {
    'writeHead twice': (res) => res.writeHead(200).writeHead(200),
    'writeHead after write': (res) => {
      res.write('x');
      res.writeHead(200, { a: 'b' });
    },
    'a status that is none': (res) => res.writeHead(9999, { a: 'b' }),
    'a status that is text': (res) => Reflect.apply(res.writeHead, res, ['abc', { a: 'b' }]),
    'an odd array': (res) => res.writeHead(200, ['a', 'b', 'c']),
    'an odd array beside a header': (res) => res.setHeader('x', 'y').writeHead(200, ['a', 'b', 'c']),
    'pairs beside a header (nodejs/node#50387)': (res) => {
      res.setHeader('x', 'y');
      Reflect.apply(res.writeHead, res, [200, [['a', 'b']]]);
    },
    'two pairs beside a header': (res) => {
      res.setHeader('x', 'y');
      const pairs = [
        ['a', 'b'],
        ['c', 'd'],
      ];
      Reflect.apply(res.writeHead, res, [200, pairs]);
    },
    'a header name that is none': (res) => res.writeHead(200, { 'a b': 'c' }),
    'a header value that is none': (res) => res.writeHead(200, { a: 'b\nc' }),
    'an undefined value': (res) => res.writeHead(200, { a: undefined }),
    'a message that is none': (res) => res.writeHead(200, 'a\nb', { a: 'b' }),
    'setHeader after writeHead': (res) => res.writeHead(200).setHeader('a', 'b'),
  };

  for (const [mistake, call] of Object.entries(WRONG)) {
    it(`${mistake}: throws what it throws without us, and the app can still answer`, async () => {
      const attempts: unknown[] = [];
      const listener: Listener = (_, res) => {
        attempts.push(thrown(() => call(res)));
        if (!res.headersSent) res.writeHead(503, 'Sorry');
        res.end('sorry');
      };
      const bare = await replyOf(listener);
      const carried = await replyOf(listener, { report: OURS });
      expect(attempts[0]).not.toBe('nothing');
      expect(attempts[1]).toEqual(attempts[0]);
      expect([carried.head, carried.body]).toEqual([bare.head, bare.body]);
      expect(carried.reports).toEqual([OURS_VALUE]);
    });
  }
});

describe('the header in small rooms', () => {
  it('a report over the limit goes as omitted, and the limit can be lowered', async () => {
    const end: Listener = (_, res) => res.end('body');
    const options = { maxHeaderBytes: OURS_VALUE.length };
    expect((await replyOf(end, { report: OURS, options })).reports).toEqual([OURS_VALUE]);
    const lower = { maxHeaderBytes: OURS_VALUE.length - 1 };
    expect((await replyOf(end, { report: OURS, options: lower })).reports).toEqual(['{"omitted":true}']);
  });

  it('with so many headers of the app that they do not fit the reply is the app’s own matter', async () => {
    const listener: Listener = (_, res) => {
      for (let index = 0; index < 200; index += 1) res.setHeader(`x-${index}`, 'y');
      res.end('body');
    };
    expect((await replyOf(listener, { report: OURS })).reports).toEqual([OURS_VALUE]);
  });
});

describe('a fault of ours', () => {
  it('leaves the reply as it would have been', async () => {
    const listener: Listener = (_, res) => {
      // An app that guards its headers: nobody may set one.
      res.setHeader = () => {
        throw new Error('no headers, please');
      };
      res.end('body');
    };
    const bare = await replyOf(listener);
    expect((await replyOf(listener, { report: OURS })).raw).toBe(bare.raw);
  });

  it('also when the log itself is broken', async () => {
    const broken: Listener = (_, res) => res.writeHead(201, { a: 'b' }).end('body');
    const server = http.createServer(
      served(broken, (scope) => {
        Object.defineProperty(scope, 'log', {
          value: new Proxy({}, { get: () => ({}) }),
        });
      }),
    );
    const reply = readRaw(await withServer(server, (port) => rawReply(port)));
    expect(reply.raw).toBe((await replyOf(broken)).raw);
  });
});

describe('what others do to the reply', () => {
  it('a writeHead that the app puts in front, and one that stood there before', async () => {
    const order: string[] = [];
    const listener: Listener = (req, res) => {
      const { writeHead } = res;
      Reflect.set(res, 'writeHead', (...args: unknown[]) => {
        order.push('before');
        return Reflect.apply(writeHead, res, args);
      });
      const inner = served(
        (_, reply) => reply.end('body'),
        (scope) => scope.log?.keep(OURS),
      );
      inner(req, res);
    };
    expect((await replyOf(listener)).reports).toEqual([OURS_VALUE]);
    expect(order).toEqual(['before']);
  });

  it('an object made from the reply', async () => {
    const heads: unknown[] = [];
    const listener: Listener = (_, res) => {
      const derived: http.ServerResponse = Object.create(res);
      derived.writeHead(202, { a: 'b' });
      heads.push(Reflect.get(derived, '_header'));
      // Node itself would never end such a reply.
      res.destroy();
    };
    await replyOf(listener);
    await replyOf(listener, { report: OURS });
    const [bare, carried] = heads.map((head) => readRaw(String(head)));
    expect(carried?.head).toEqual(bare?.head);
    expect(carried?.reports).toEqual([OURS_VALUE]);
  });

  it('a framework that changes the prototype', async () => {
    const listener: Listener = (_, res) => {
      const made: object = Object.create(http.ServerResponse.prototype, {
        writeHead: {
          value(this: http.ServerResponse, ...args: unknown[]) {
            this.setHeader('X-Framework', 'yes');
            return Reflect.apply(http.ServerResponse.prototype.writeHead, this, args);
          },
        },
      });
      Object.setPrototypeOf(res, made);
      res.end('body');
    };
    const carried = await replyOf(listener, { report: OURS });
    expect(carried.head).toContain('X-Framework: yes');
    expect(carried.reports).toEqual([OURS_VALUE]);
  });
});

describe('the request’s own failure', () => {
  it('named with failRequest: the last one counts, status and body are the app’s', async () => {
    const listener: Listener = (_, res) => {
      observeFailure(failure('attempt'));
      failRequest(failure('first'));
      failRequest(new Error('no event in it'));
      failRequest(new Error('wraps', { cause: failure('last', {}, failure('cause')) }));
      res.end('fine');
    };
    const { head, body, reports } = await replyOf(listener, {});
    const report = FailureReport.parseText(reports[0] ?? '');
    expect([report.failureId, [...report.events.keys()]]).toEqual(['last', ['last', 'cause', 'attempt']]);
    expect([head[0], body]).toEqual(['HTTP/1.1 200 OK', 'fine']);
  });

  it('nobody meets a log after its request has closed', async () => {
    let scope: unknown;
    const server = http.createServer(
      served(
        (_, res) => res.end(),
        (opened) => {
          scope = opened;
        },
      ),
    );
    server.on('request', (_, res) => once(res, 'close').then(() => server.emit('replied')));
    await withServer(server, async (port) => {
      const replied = once(server, 'replied');
      await rawReply(port);
      await replied;
    });
    expect(scope).toMatchObject({ log: undefined });
  });
});

/** The final reply, when informational ones went before it. */
function final(reply: ReturnType<typeof readRaw>): ReturnType<typeof readRaw> {
  return /^HTTP\/1\.1 1\d\d/.test(reply.head[0] ?? '') ? readRaw(reply.body) : reply;
}
