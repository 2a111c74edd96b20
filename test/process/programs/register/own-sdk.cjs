/** An app's own NodeSDK, loaded before the app; with `OURS=too` it has an instrumentation of ours in its list as well. */
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { UndiciInstrumentation } = require('@opentelemetry/instrumentation-undici');
const { NodeSDK } = require('@opentelemetry/sdk-node');

const attributesFor = () => ({ 'of.the.app': true });
const instrumentations = [new HttpInstrumentation(), new UndiciInstrumentation()];
if (process.env.OURS === 'too') {
  const { NgFailureInstrumentation } = require('opentelemetry-instrumentation-nemo-gym');
  instrumentations.push(new NgFailureInstrumentation({ mirror: { attributesFor } }));
}
const sdk = new NodeSDK({ instrumentations });
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
