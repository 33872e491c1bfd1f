import type { InvokeResult, MessageRequest } from '../../wire';
import { CommandError } from '../exec/command-error';
import { runCommand } from '../exec/run-command';

/** What is said to a message; null for nothing. */
export type Answerer = (request: MessageRequest, signal: AbortSignal) => Promise<string | null>;

/** Answers every message with its own text. */
export const echo: Answerer = ({ params }) => Promise.resolve(params.content);

/**
 * Answers with what a program prints when it is given the message on its standard input; a program that prints
 * nothing gives no reply. A program that fails or runs out of time is an `internal` error of the device.
 * @param argv the program and its arguments
 */
export function program([command = '', ...args]: string[], directory: string): Answerer {
  return async ({ params, timeoutMs }, signal) => {
    const input = params.content;
    const result = await runCommand({ command, args, cwd: directory, timeoutMs, input, signal });
    if (result.timedOut || result.exitCode !== 0) throw new CommandError('internal', failure(result));
    return result.stdout === '' ? null : result.stdout;
  };
}

function failure({ timedOut, exitCode, signal, durationMs }: InvokeResult): string {
  if (timedOut) return `The program that answers messages was stopped after ${durationMs} ms.`;
  return `The program that answers messages ended with ${signal ?? `exit code ${exitCode}`}.`;
}
