import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { useProxies } from '@external-api/forward-proxy';
import { splitCommand } from '../exec/split-command';
import { checkWorkingDirectory } from '../exec/working-directory';
import { MachineDevice } from '../machine-device';
import type { MachineEvent } from '../machine-events';
import { MachineStatusFile } from '../machine-status';
import { loadPrivateEnvironment } from '../private-environment';
import type { AgentOptions } from '../sessions/agent-runtime';
import { addAgentOptions, createAgentOptions, type AgentCommandOptions } from './agent-options';
import { UsageError } from './agent-settings';
import type { CommandContext } from './command-context';
import { runExclusively, type ExclusiveRun } from './exclusive-run';
import { createMachineReporter } from './machine-reporter';
import { requireText } from './option-parsers';

const PROCESS_1_WARNING =
  'warning: This is process 1 of its container. Processes that its commands leave are never removed, until the ' +
  'container can start no more. Run it under an init, such as "docker run --init" or tini.';

export interface MachineCommandOptions extends AgentCommandOptions {
  account?: string;
  name?: string;
  platform?: string;
  cwd: string;
  onMessage?: string[];
  sessionTag?: string;
  environmentFile?: string;
}

/** Adds `machine`. */
export function addMachineCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('machine')
    .description('Run this computer as a machine of an account; pairs it first')
    .option('--environment-file <file>', 'private variables that "service install" has stored', requireText);
  addMachineOptions(command).action((options: MachineCommandOptions) => runMachine(context, options));
}

/** Adds the options that a service keeps. */
export function addMachineOptions(command: Command): Command {
  command
    .option('--account <name>', 'the account that may call this machine; required to pair it', requireText)
    .option('--name <name>', "the machine's name (default: the computer's)")
    .option('--platform <name>', 'default: the operating system')
    .option('--cwd <folder>', 'default working directory of commands', '.')
    .option('--on-message <command>', 'program that replies to session messages (default: echo)', parseProgram)
    .option('--session-tag <tag>', "the session's tag (default: derived from this device)");
  return addAgentOptions(command);
}

/** Returns undefined for a machine without agents. Ends the command if the options don't fit together. */
export function readAgentOptions(context: CommandContext, options: MachineCommandOptions): AgentOptions | undefined {
  if (options.agent && options.onMessage) context.failUsage('use either --agent or --on-message');
  try {
    return createAgentOptions(options);
  } catch (error) {
    if (error instanceof UsageError) context.failUsage(error.message);
    throw error;
  }
}

async function runMachine(context: CommandContext, options: MachineCommandOptions): Promise<void> {
  const { terminal } = context;
  const agents = readAgentOptions(context, options);
  terminal.outlivesReader = true;
  if (process.pid === 1) terminal.writeNotice(PROCESS_1_WARNING);
  const cwd = resolve(options.cwd);
  await checkWorkingDirectory(cwd);
  if (options.environmentFile !== undefined) {
    await loadPrivateEnvironment(options.environmentFile);
    // The program has looked for proxies before their variables were read.
    await useProxies();
  }
  const store = context.createKeyStore('machine');
  await runExclusively(context, store.location, async (run) => {
    const statusFile = new MachineStatusFile(store.statusFile);
    const report = context.isJsonOutput
      ? (event: MachineEvent) => terminal.writeJson(event)
      : createMachineReporter(context, options.account);
    try {
      const machine = await MachineDevice.open({
        ...options,
        ...(await context.findMachineAddress(store)),
        store,
        cwd,
        agents,
        onEvent: (event) => {
          statusFile.applyEvent(event);
          report(event);
        },
      });
      statusFile.readProgress = () => ({ outage: machine.outage });
      if (!machine.isPaired && options.account === undefined)
        context.failUsage(`--account names the account to pair with. To pair first: ${context.formatCommand('link')}`);
      await serveUntilAborted(machine, run, statusFile);
    } finally {
      await statusFile.close();
    }
  });
  if (!context.isJsonOutput) terminal.writeLine('Stopped.');
}

async function serveUntilAborted(
  machine: MachineDevice,
  { signal, lost }: ExclusiveRun,
  statusFile: MachineStatusFile,
): Promise<void> {
  if (!machine.isPaired) await Promise.race([machine.pairWithAccount({ signal }), lost]);
  const runner = await machine.startServing({ signal });
  statusFile.readProgress = () => ({ outage: machine.outage, ...runner.waitingCounts });
  const interrupted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  try {
    await Promise.race([interrupted, runner.failed, lost]);
  } finally {
    await runner.stop();
  }
}

/** @throws InvalidArgumentError */
function parseProgram(text: string): string[] {
  try {
    return splitCommand(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
