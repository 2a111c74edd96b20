import type { ReplyLike, RequestLike } from '../transport/reply/serve-request.ts';

/** Told of each error that an app's error handlers are called with. */
export type ErrorListener = (error: unknown, request: RequestLike, response: ReplyLike) => void;

type ErrorHandler = (
  error: unknown,
  request: RequestLike,
  response: ReplyLike,
  next: (error?: unknown) => void,
) => unknown;

/** One entry of a router, in Express 4 and 5: a handler, an error handler, a router, or a route with entries of its own. */
interface Layer {
  handle: unknown;
  readonly route?: unknown;
}

/** How many layers a router had when it was last looked through. */
const lengths = new WeakMap<object, number>();
const heard = new WeakSet<object>();

/**
 * Lets `listener` hear the errors of the app that serves `request`: those that its error handlers are called with, in
 * routers and routes too, and those that nobody handles. Express calls handlers in the order of their registration, so
 * one that stands behind us, or in a router, would answer an error that we never see. A layer keeps its place: requests
 * on their way count places.
 */
export function hearErrors(request: RequestLike, listener: ErrorListener): void {
  const app: unknown = Reflect.get(request, 'app');
  const router = isObject(app) ? routerOf(app) : undefined;
  if (router === undefined || lengths.get(router) === router.length) return;
  const last = router.at(-1);
  const isHeard = isLayer(last) && isErrorHandler(last.handle) && heard.has(last.handle);
  if (!isHeard && isObject(app) && 'use' in app && typeof app.use === 'function') app.use(hearing(passOn, listener));
  hearLayers(router, listener);
}

const passOn: ErrorHandler = (error, _request, _response, next) => next(error);

/** `app.router` throws in Express 4, and `_router` is not there in Express 5. */
function routerOf(app: object): readonly unknown[] | undefined {
  return layersOf(Reflect.get(app, '_router') ?? Reflect.get(app, 'router'));
}

function hearLayers(layers: readonly unknown[], listener: ErrorListener): void {
  for (const layer of layers) {
    if (!isLayer(layer)) continue;
    if (isErrorHandler(layer.handle)) {
      if (!heard.has(layer.handle)) layer.handle = hearing(layer.handle, listener);
      continue;
    }
    const inner = layersOf(layer.route) ?? layersOf(layer.handle);
    if (inner !== undefined && lengths.get(inner) !== inner.length) hearLayers(inner, listener);
  }
  lengths.set(layers, layers.length);
}

/** In place of an error handler, which Express knows by its four parameters. */
function hearing(handler: ErrorHandler, listener: ErrorListener): ErrorHandler {
  const hears: ErrorHandler = function (this: unknown, error, request, response, next) {
    listener(error, request, response);
    return Reflect.apply(handler, this, [error, request, response, next]);
  };
  Object.defineProperty(hears, 'name', { value: handler.name, configurable: true });
  heard.add(hears);
  return hears;
}

function isErrorHandler(handle: unknown): handle is ErrorHandler {
  return typeof handle === 'function' && handle.length === 4;
}

function layersOf(router: unknown): readonly unknown[] | undefined {
  const stack: unknown = isObject(router) ? Reflect.get(router, 'stack') : undefined;
  return Array.isArray(stack) ? stack : undefined;
}

function isLayer(value: unknown): value is Layer {
  return typeof value === 'object' && value !== null && 'handle' in value;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
