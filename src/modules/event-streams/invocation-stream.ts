import type { Response } from 'express';
import { OpenStream, type OpenStreamOptions } from './open-stream';

/** Stream of the output of an invocation. Nothing of it is stored, so that it has no place to resume from. */
export class InvocationStream extends OpenStream {
  readonly requiredScope = 'machines:invoke';
  /** Monotonic ms at which the invocation was found to have ended. */
  endedAt: number | null = null;

  constructor(
    response: Response,
    readonly machineId: string,
    readonly invocationId: string,
    options: OpenStreamOptions,
  ) {
    super(response, options);
  }
}
