import type { Response } from 'express';

/** Returns a signal that aborts when the caller hangs up before the response is complete. */
export function createDisconnectSignal(response: Response): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  // The connection may have closed already, while the guards ran.
  if (response.destroyed) controller.abort();
  return controller.signal;
}
