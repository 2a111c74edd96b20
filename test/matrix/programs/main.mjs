// A cell's server as an ES module.
import './own-fetch.cjs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import express from 'express';
import * as undici from 'undici';
import run from './run.cjs';

await run({
  modules: { http, https, http2, express, undici },
  loadPackage: () => import('opentelemetry-instrumentation-nemo-gym'),
  loadAdapter: () => import('opentelemetry-instrumentation-nemo-gym/express'),
  loadTelemetry: () => import('./telemetry.mjs'),
});
