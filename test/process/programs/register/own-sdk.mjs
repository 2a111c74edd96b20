/** An app's own NodeSDK, loaded before the app; with `OURS=too` it has an instrumentation of ours in its list as well. */
import { register } from 'node:module';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { NgFailureInstrumentation } from 'opentelemetry-instrumentation-nemo-gym';

register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

const attributesFor = () => ({ 'of.the.app': true });
const instrumentations = [new HttpInstrumentation(), new UndiciInstrumentation()];
if (process.env.OURS === 'too') instrumentations.push(new NgFailureInstrumentation({ mirror: { attributesFor } }));
const sdk = new NodeSDK({ instrumentations });
sdk.start();
process.once('beforeExit', () => sdk.shutdown());
