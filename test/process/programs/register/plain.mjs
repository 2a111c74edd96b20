import http from 'node:http';
import * as api from '@opentelemetry/api';
import * as gym from 'opentelemetry-instrumentation-nemo-gym';
import routes from './routes.cjs';

routes.start(http.createServer(routes(gym, api)));
