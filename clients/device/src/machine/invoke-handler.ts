import { resolve } from 'node:path';
import type { InvokeRequest, InvokeResult } from '@external-api/protocol';
import { executeCommand } from '../exec/execute-command';

export type InvokeHandler = (request: InvokeRequest, signal: AbortSignal) => Promise<InvokeResult>;

/** @param workingDirectory the default `cwd`, and the base of relative ones */
export function createInvokeHandler(workingDirectory: string): InvokeHandler {
  return ({ params, timeoutMs }, signal) =>
    executeCommand({
      command: params.command,
      args: params.args,
      cwd: resolve(workingDirectory, params.cwd ?? '.'),
      timeoutMs,
      signal,
    });
}
