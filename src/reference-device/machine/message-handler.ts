import type { InvokeResult, MessageRequest, MessageResult } from '../../wire';
import { CommandError } from '../exec/command-error';
import { runCommand } from '../exec/run-command';

export type MessageHandler = (request: MessageRequest, signal: AbortSignal) => Promise<MessageResult>;

/** Answers every message with its own text. */
export const echoHandler: MessageHandler = ({ params }) => Promise.resolve(accepted(params.content));

/**
 * Answers with what a program prints when it is given the message on its standard input; a program that prints
 * nothing gives no reply. A program that fails or runs out of time is an `internal` error of the device.
 * @param argv the program and its arguments
 */
export function programHandler([command = '', ...args]: string[], directory: string): MessageHandler {
  return async ({ params, timeoutMs }, signal) => {
    const input = params.content;
    const result = await runCommand({ command, args, cwd: directory, timeoutMs, input, signal });
    if (result.timedOut || result.exitCode !== 0) throw new CommandError('internal', failure(result));
    return accepted(result.stdout === '' ? null : result.stdout);
  };
}

function failure({ timedOut, exitCode, signal, durationMs }: InvokeResult): string {
  if (timedOut) return `The program that answers messages was stopped after ${durationMs} ms.`;
  return `The program that answers messages ended with ${signal ?? `exit code ${exitCode}`}.`;
}

const accepted = (reply: string | null): MessageResult => ({ accepted: true, messageId: null, reply });
