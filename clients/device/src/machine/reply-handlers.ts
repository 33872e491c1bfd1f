import type { InvokeResult } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import { executeCommand } from '../exec/execute-command';
import type { TextMessageRequest } from './sealed-messages';

/** Returns the reply to a message; null for no reply. */
export type ReplyHandler = (request: TextMessageRequest, signal: AbortSignal) => Promise<string | null>;

/** Replies to each message with its own text. */
export const echoReplyHandler: ReplyHandler = ({ params }) => Promise.resolve(params.content);

/**
 * Replies with the output of a program that gets the message on its standard input. Empty output means no reply. A
 * failure or timeout of the program is an `internal` error.
 * @param argv the program and its arguments
 */
export function createProgramReplyHandler([command = '', ...args]: string[], workingDirectory: string): ReplyHandler {
  return async ({ params, timeoutMs }, signal) => {
    const input = params.content;
    const result = await executeCommand({ command, args, cwd: workingDirectory, timeoutMs, input, signal });
    if (result.timedOut || result.exitCode !== 0) throw new CommandError('internal', formatProgramFailure(result));
    return result.stdout === '' ? null : result.stdout;
  };
}

function formatProgramFailure({ timedOut, exitCode, signal, durationMs }: InvokeResult): string {
  if (timedOut) return `The reply program timed out after ${durationMs} ms.`;
  return `The reply program exited with ${signal ?? `code ${exitCode}`}.`;
}
