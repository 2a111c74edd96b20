// Loaded after `/register` into every process of a foreign suite: counts the replies that stood under its hook, so that
// a suite which never met the hook proves nothing unnoticed. With FOREIGN_SUITES_FAILING (the package's front door) each
// request gets one, always the same: two replies to compare stay the same.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

const { FOREIGN_SUITES_COUNTS: file, FOREIGN_SUITES_FAILING: frontDoor } = process.env;
const ours = frontDoor === undefined ? undefined : await import(frontDoor);
const failure =
  ours &&
  new ours.NgFailureEvent({
    boundary: 'agent',
    failureKind: 'agent_timeout',
    failureReason: 'Each request of this suite fails, so that each of its replies carries a report',
    httpStatus: 504,
  });
let served = 0;
let hooked = 0;

function write() {
  if (served > 0) appendFileSync(file, `${JSON.stringify({ served, hooked })}\n`);
  served = 0;
  hooked = 0;
}

if (file !== undefined) {
  subscribe('http.server.request.start', ({ response }) => {
    served += 1;
    if (Object.hasOwn(response, 'writeHead')) hooked += 1;
    // A test runner may kill its workers: then what follows the first request is lost.
    if (served === 1) write();
    if (failure !== undefined) ours.failRequest(failure);
  });
  process.on('exit', write);
}
