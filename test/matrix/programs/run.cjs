// A cell's life: listen, start telemetry when told to (it is there already when it was preloaded), tell what was seen.
const listen = require('./servers.cjs');

const cell = JSON.parse(process.env.MATRIX_CELL);

// Express prints each error that it answers, stack and all; complaints of telemetry go to stderr another way.
console.error = () => {};

module.exports = async function run({ modules, loadPackage, loadAdapter, loadTelemetry }) {
  const pkg = cell.package ? await loadPackage() : undefined;
  const adapter = cell.package ? await loadAdapter() : undefined;
  const { ports, noted } = await listen({ ...modules, pkg, adapter });
  process.on('message', async (message) => {
    if (message === 'start') {
      await loadTelemetry();
      // As whatever an app loads later: HttpInstrumentation patches where a module is required.
      for (const name of ['node:http', 'node:https']) require(name);
      process.send({ started: true });
    }
    if (message === 'finish') {
      const { spans } = await loadTelemetry();
      process.send({ noted, spans: spans() }, () => process.exit());
    }
  });
  process.send({ ports });
};
