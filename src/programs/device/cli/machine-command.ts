import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { splitCommand } from '../exec/split-command';
import { checkWorkingDirectory } from '../exec/working-directory';
import { MachineDevice } from '../machine-device';
import type { MachineEvent } from '../machine-events';
import { addAgentOptions, createAgentOptions, type AgentCommandOptions } from './agent-options';
import type { CommandContext } from './command-context';
import { requireText } from './option-parsers';
import { formatFields, formatTimestamp } from './text-format';

const INTERRUPTION_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface MachineCommandOptions extends AgentCommandOptions {
  account: string;
  name?: string;
  platform?: string;
  cwd: string;
  onMessage?: string[];
  sessionTag?: string;
}

/** Adds `machine`. */
export function addMachineCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('machine')
    .description('Run this computer as a machine of an account; pairs it first')
    .requiredOption('--account <name>', 'the account that may call this machine', requireText)
    .option('--name <name>', "the machine's name (default: the computer's)")
    .option('--platform <name>', 'default: the operating system')
    .option('--cwd <folder>', 'default working directory of commands', '.')
    .option('--on-message <command>', 'program that replies to session messages (default: echo)', parseProgram)
    .option('--session-tag <tag>', "the session's tag (default: derived from this device)");
  addAgentOptions(command).action((options: MachineCommandOptions) => runMachine(context, options));
}

async function runMachine(context: CommandContext, options: MachineCommandOptions): Promise<void> {
  const { terminal } = context;
  if (options.agent && options.onMessage) context.failUsage('use either --agent or --on-message');
  const cwd = resolve(options.cwd);
  await checkWorkingDirectory(cwd);
  const { signal, done } = listenForInterruption();
  try {
    const machine = await MachineDevice.open({
      ...options,
      ...context.getAddressOptions(),
      store: context.createKeyStore('machine'),
      cwd,
      agents: createAgentOptions(options),
      onEvent: context.isJsonOutput
        ? (event) => terminal.writeJson(event)
        : createMachineReporter(context, options.account),
    });
    await serveUntilAborted(machine, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    done();
  }
  if (!context.isJsonOutput) terminal.writeLine('Stopped.');
}

async function serveUntilAborted(machine: MachineDevice, signal: AbortSignal): Promise<void> {
  if (!machine.isPaired) await machine.pairWithAccount({ signal });
  const runner = await machine.startServing({ signal });
  const interrupted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  try {
    await Promise.race([interrupted, runner.failed]);
  } finally {
    await runner.stop();
  }
}

/** Aborts on the first signal and exits immediately on the second. `done` removes the signal handlers. */
function listenForInterruption(): { signal: AbortSignal; done: () => void } {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  INTERRUPTION_SIGNALS.forEach((name) => process.on(name, onSignal));
  return {
    signal: controller.signal,
    done: () => INTERRUPTION_SIGNALS.forEach((name) => process.off(name, onSignal)),
  };
}

/** @throws InvalidArgumentError */
function parseProgram(text: string): string[] {
  try {
    return splitCommand(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** Returns a listener that prints a machine's events as plain lines. */
function createMachineReporter(
  { terminal, programName }: CommandContext,
  account: string,
): (event: MachineEvent) => void {
  let isServing = false;
  const writeLogLine = (text: string): void => terminal.writeLine(`${new Date().toTimeString().slice(0, 8)}  ${text}`);
  return (event) => {
    switch (event.event) {
      case 'pairing':
        terminal.writeLine(
          formatFields([
            ['Pairing code', `${event.code} (until ${formatTimestamp(event.expiresAt).slice(11)})`],
            ['Fingerprint', event.fingerprint],
          ]),
        );
        return terminal.writeLine(`\nApprove it on a device of ${account}: ${programName} approve ${event.code}\n`);
      case 'paired':
        return terminal.writeLine(`Paired with ${event.account} (${event.accountId}).\n`);
      case 'serving':
        isServing = true;
        return terminal.writeLine(
          formatFields([
            ['Serving', event.account],
            ['Runs as', getOperatingSystemUser()],
            ['Machine', event.machineId],
            ['Session', `${event.sessionId} (${event.sessionTag})`],
          ]) + '\n',
        );
      case 'connected':
        return isServing ? writeLogLine('reconnected') : undefined;
      case 'disconnected':
        return writeLogLine(`disconnected: ${event.reason}`);
      case 'waiting':
        return writeLogLine(`${event.reason} Retrying in ${(event.ms / 1000).toFixed(1)} s.`);
      case 'history':
        return writeLogLine(`history: ${event.problem} Pending messages: ${event.waiting}.`);
      case 'agent':
        return writeLogLine(`agent: ${event.problem}`);
      case 'invocation':
        return writeLogLine(`invocation: ${event.problem}`);
      case 'call':
        return writeLogLine(`${event.method}  ${event.requestId}  ${event.outcome}  ${event.ms} ms`);
    }
  };
}

/** Returns the operating-system user that commands of `machines:invoke` tokens run as. */
function getOperatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
