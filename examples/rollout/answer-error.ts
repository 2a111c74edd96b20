import type { NextFunction, Request, Response } from 'express';
import { failRequest } from 'opentelemetry-instrumentation-nemo-gym';

/** Express's last handler of errors, for both of its servers. The report goes into the header by itself. */
export function answerError(error: unknown, _request: Request, response: Response, next: NextFunction): void {
  failRequest(error);
  // As a Gym server answers: status 500 with a JSON string.
  if (response.headersSent) next(error);
  else response.status(500).json('Internal Server Error');
}
