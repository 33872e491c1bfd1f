import { constants } from 'node:os';
import type { Invocation, Invocations } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { CliError, EXIT, InvocationWaitError, UsageError } from '../errors.ts';
import { Interruption, interrupts } from '../interrupts.ts';
import { resolveMachineId } from '../resolve-names.ts';

const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const MAX_TIMEOUT_MS = 3_600_000;

const FAILURES: Record<string, string> = {
  command_not_found: 'The machine has no such program.',
  permission_denied: 'The user of the device may not run it.',
  cwd_not_found: 'The folder does not exist.',
  cwd_not_allowed: 'The device does not allow this folder.',
  process_lost: 'The device program ended, and the command with it.',
};

export const runCommand: CommandAction = async (context, input) => {
  const timeoutMs = input.findDurationMs('timeout') ?? DEFAULT_TIMEOUT_MS;
  if (timeoutMs > MAX_TIMEOUT_MS) throw new UsageError('A command may run for an hour at most: --timeout 1h');
  context.requireToken('run commands');
  const client = context.createClient();
  const machineId = await resolveMachineId(client, input.getArgument('MACHINE'));
  const [command = '', ...args] = input.rest;
  const signal = interrupts.createSignal();
  interrupts.handleClosedOutput();
  const invocations = client.machines.invocations(machineId);
  const idempotencyKey = input.findOption('idempotency-key');
  const request = { command, args, cwd: input.findOption('cwd'), timeoutMs };
  // A start that is cut off could leave a command that nobody knows of.
  const { id } = await invocations.start(request, { idempotencyKey });
  const ended = await followUntilEnd(context, invocations, id, signal).catch((error: unknown) => {
    throw error instanceof Interruption ? error : new InvocationWaitError(error, { machineId, invocationId: id });
  });
  if (context.terminal.isJson) context.terminal.writeJson({ type: 'invocation', invocation: ended });
  if (signal.aborted) return interrupts.exitCode;
  return findExitCode(ended);
};

/** Passes on the output until the command has ended. An interrupt cancels the command. */
async function followUntilEnd(
  { terminal }: CommandContext,
  invocations: Invocations,
  id: string,
  signal: AbortSignal,
): Promise<Invocation> {
  let cancelled: Promise<unknown> | undefined;
  const cancel = () => {
    if (!terminal.isJson) terminal.writeNotice('\nCancelling the command ... Press Ctrl-C again to leave it running.');
    // What the command still writes is passed on as well.
    cancelled = invocations.cancel(id);
    cancelled.catch(() => undefined);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  for await (const { stream, offset, bytes } of invocations.follow(id)) {
    if (!terminal.isJson) await terminal.writeBytes(stream, bytes);
    else terminal.writeJson({ type: 'output', stream, offset, data: Buffer.from(bytes).toString('base64') });
  }
  await cancelled;
  return invocations.wait(id);
}

function findExitCode({ state, exitCode, signal, errorCode }: Invocation): number {
  if (state === 'timed_out') return EXIT.timeout;
  if (state === 'completed' && exitCode !== null) return exitCode;
  if (state === 'completed' && signal !== null) {
    const number = (constants.signals as Record<string, number | undefined>)[signal];
    return number === undefined ? EXIT.ownFailure : 128 + number;
  }
  if (state === 'cancelled') throw new CliError('Somebody else cancelled the command.', { code: 'cancelled' });
  if (state === 'lost')
    throw new CliError('The device has been away for 15 minutes. The command may still run.', { code: 'lost' });
  throw new CliError(`The command did not run to its end. ${FAILURES[errorCode ?? ''] ?? errorCode ?? ''}`.trim(), {
    code: errorCode ?? 'failed',
  });
}
