import { resolve } from 'node:path';
import type { InvokeRequest, InvokeResult } from '../../wire';
import { runCommand } from '../exec/run-command';

export type InvokeHandler = (request: InvokeRequest, signal: AbortSignal) => Promise<InvokeResult>;

/** @param directory where commands run that name no `cwd`; a relative `cwd` begins there too */
export function invokeHandler(directory: string): InvokeHandler {
  return ({ params, timeoutMs }, signal) =>
    runCommand({
      command: params.command,
      args: params.args,
      cwd: resolve(directory, params.cwd ?? '.'),
      timeoutMs,
      signal,
    });
}
