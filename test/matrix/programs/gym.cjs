// What the programs ask of the package. Without it they are the very same servers, and nothing of this happens.
const { reasonOf } = require('./reasons.cjs');

/** A failure whose id a case can name: the report's bytes are then the same wherever it is made. */
const record = (id) => ({
  event_id: id,
  boundary: 'agent',
  failure_kind: 'agent_run_error',
  failure_reason: reasonOf(id),
});

const WITHOUT = {
  own: () => {},
  attempt: () => {},
  thrown: (id) => new Error(reasonOf(id)),
  reportNow: () => undefined,
  served: (listener) => listener,
  errorHandlers: () => [],
};

/**
 * @param pkg the package's exports; `undefined` for the server without it
 * @param adapter those of its entry for Express
 */
module.exports = function gymOf(pkg, adapter) {
  if (pkg === undefined) return WITHOUT;
  const event = (id, cause) => pkg.NgFailureEvent.fromRecord(record(id), cause);
  return {
    /** Names the request's own failure, with the ids of its causes behind it. */
    own: (id, ...causes) =>
      pkg.failRequest(
        event(
          id,
          causes.reduceRight((cause, next) => event(next, cause), undefined),
        ),
      ),
    /** An attempt that a retry may replace. */
    attempt: (id) => pkg.observeFailure(event(id)),
    /** An error as a handler throws it. */
    thrown: (id) => event(id),
    /** The report as the reply, or the stream's last event, would carry it now. */
    reportNow: () => pkg.FailureHeader.streamValue(pkg.reportForCurrentRequest()),
    /** A listener for a server that the instrumentation does not see. */
    served: (listener) => pkg.withFailureReports(listener),
    /** Express's own way. */
    errorHandlers: () => adapter.failureReports(),
  };
};
