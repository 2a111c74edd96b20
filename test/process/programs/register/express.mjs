import http from 'node:http';
import * as api from '@opentelemetry/api';
import express from 'express';
import * as gym from 'opentelemetry-instrumentation-nemo-gym';
import routes from './routes.cjs';

routes.start(http.createServer(express().use(routes(gym, api))));
