import { resolve } from 'node:path';
import { splitCommand } from '../exec/split-command';
import { checkWorkingDirectory } from '../exec/working-directory';
import { MachineDevice } from '../machine-device';
import { UsageError, type Command } from './command';
import { interruption } from './interruption';
import { machineReporter } from './machine-reporter';

export const machineCommand: Command = {
  name: 'machine',
  positionals: [],
  summary: 'Serve this computer as a machine of an account (pairs first)',
  options: {
    account: { value: 'NAME', help: 'the one account whose calls it answers' },
    name: { value: 'NAME', help: "the machine's name (default: the computer's)" },
    platform: { value: 'NAME', help: 'default: the operating system' },
    cwd: { value: 'DIR', help: 'where commands run that name no directory' },
    'on-message': { value: "'PROGRAM ARG'", help: 'answers session messages (default: they are echoed)' },
    'session-tag': { value: 'TAG', help: "the session's tag (default: one of its own)" },
  },
  async run(call) {
    const account = call.required('account');
    const cwd = resolve(call.text('cwd') ?? '.');
    await checkWorkingDirectory(cwd);
    const { signal, done } = interruption();
    try {
      const machine = await MachineDevice.open({
        url: call.text('url'),
        publicUrl: call.text('public-url'),
        store: call.store('machine'),
        account,
        name: call.text('name'),
        platform: call.text('platform'),
        cwd,
        onMessage: programOf(call.text('on-message')),
        sessionTag: call.text('session-tag'),
        onEvent: machineReporter(call.terminal, { json: call.json, account }),
      });
      await serveUntil(machine, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      done();
    }
    if (!call.json) call.terminal.line('Stopped.');
  },
};

async function serveUntil(machine: MachineDevice, signal: AbortSignal): Promise<void> {
  if (!machine.paired) await machine.pair({ signal });
  const service = await machine.serve({ signal });
  const interrupted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  try {
    await Promise.race([interrupted, service.failed]);
  } finally {
    await service.stop();
  }
}

function programOf(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  try {
    return splitCommand(text);
  } catch (error) {
    throw new UsageError(`--on-message: ${(error as Error).message}`, { cause: error });
  }
}
