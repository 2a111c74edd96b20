// The same from CommonJS, where the package is an ES module that require() loads: `node --require ./telemetry.cjs main.cjs`.
const telemetry = require('./telemetry-setup.cjs');

const { cell } = telemetry;
const loaded = {
  api: require('@opentelemetry/api'),
  pkg: cell.package ? require('opentelemetry-instrumentation-nemo-gym') : undefined,
};
if (cell.sdk === 'absent') {
  telemetry.start(loaded);
} else {
  telemetry.start({
    ...loaded,
    node: require('@opentelemetry/sdk-node'),
    trace: require('@opentelemetry/sdk-trace'),
    http: require('@opentelemetry/instrumentation-http'),
    undici: require('@opentelemetry/instrumentation-undici'),
  });
}

module.exports = { spans: telemetry.spans };
