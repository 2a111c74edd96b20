import { UnreadableFileError } from '../problems.ts';

/** What kept Jaeger from answering. */
export type JaegerFault =
  /** Nothing answers, or what answers is no Jaeger, or it refuses: asking again is of no use. */
  | 'unusable'
  /** No whole answer within the time-out. */
  | 'timeout'
  /** The answer is larger than what is read at once. */
  | 'too_large'
  /** Jaeger does not take a limit as high as the one asked for. */
  | 'limit_refused';

/** Jaeger cannot be asked; the message names its address and the remedy. The command ends with exit code 2. */
export class JaegerError extends UnreadableFileError {
  override readonly name = 'JaegerError';
  readonly fault: JaegerFault;

  constructor(fault: JaegerFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
