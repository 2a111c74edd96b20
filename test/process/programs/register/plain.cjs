const http = require('node:http');
const api = require('@opentelemetry/api');
const gym = require('opentelemetry-instrumentation-nemo-gym');
const routes = require('./routes.cjs');

routes.start(http.createServer(routes(gym, api)));
