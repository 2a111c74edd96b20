// Which telemetry a cell has: MATRIX_CELL is { package, sdk, order }. `OTEL_SDK_DISABLED` and the sampler come from the
// environment, as users set them.
const SERVER = 1;
const ERROR = 2;
const cell = JSON.parse(process.env.MATRIX_CELL);
let exporter;

/** Starts it from modules that the caller loaded in its own way. */
function start({ api, node, trace, http, undici, pkg }) {
  // A complaint of anybody shows, and is compared with the server without the package.
  const complain = (...told) => process.stderr.write(`${told.join(' ')}\n`);
  const quiet = () => {};
  api.diag.setLogger({ error: complain, warn: complain, info: quiet, debug: quiet, verbose: quiet });
  const ours = pkg === undefined ? [] : [new pkg.NgFailureInstrumentation()];
  if (cell.sdk === 'absent') return;
  exporter = new trace.InMemorySpanExporter();
  const others = [new http.HttpInstrumentation(), new undici.UndiciInstrumentation()];
  const sdk = new node.NodeSDK({
    spanProcessors: [new trace.SimpleSpanProcessor({ exporter })],
    instrumentations: cell.order === 'first' ? [...ours, ...others] : [...others, ...ours],
  });
  sdk.start();
}

/** The server spans of the cases' own requests, each with the ids of all failure events that its trace shows. */
function spans() {
  const finished = exporter?.getFinishedSpans() ?? [];
  const isRoot = ({ kind, parentSpanContext }) => kind === SERVER && parentSpanContext === undefined;
  return finished.filter(isRoot).map((root) => ({
    path: root.attributes['url.path'],
    isError: root.status.code === ERROR,
    failureId: root.attributes['nemo.gym.failure.id'],
    count: root.attributes['nemo.gym.failure.count'],
    shown: finished
      .filter((span) => span.spanContext().traceId === root.spanContext().traceId)
      .flatMap(({ events }) => events.filter(({ name }) => name === 'nemo.gym.failure'))
      .map(({ attributes }) => attributes['nemo.gym.failure.event_id']),
  }));
}

module.exports = { cell, start, spans };
