// A cell's server as CommonJS; the package, an ES module, is loaded with require().
require('./own-fetch.cjs');
const http = require('node:http');
const http2 = require('node:http2');
const https = require('node:https');
const express = require('express');
const undici = require('undici');
const run = require('./run.cjs');

run({
  modules: { http, https, http2, express, undici },
  loadPackage: () => require('opentelemetry-instrumentation-nemo-gym'),
  loadAdapter: () => require('opentelemetry-instrumentation-nemo-gym/express'),
  loadTelemetry: () => require('./telemetry.cjs'),
});
