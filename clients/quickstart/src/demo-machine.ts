import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createAgentOptions,
  DeviceRejectedError,
  FileKeyStore,
  MachineDevice,
  TEST_AGENT_FILE,
  type AgentOptions,
  type MachineEvent,
  type MachineRunner,
  type NamedCommand,
} from '@external-api/device';
import type { DemoAccount } from './demo-account';

const runFile = promisify(execFile);
const DEMO_POLL_INTERVAL_MS = 100;

/** An agent without a model, part of the build. It does what the lines of a message say. */
const TEST_AGENT: NamedCommand = {
  name: 'test-agent',
  command: [process.execPath, TEST_AGENT_FILE],
};

/** The agent of the quickstart's machine. */
export interface DemoAgent {
  options: AgentOptions;
  /** Message of the demo, for which the agent is to use a tool. */
  prompt: string;
  /** Whether the demo allows what the agent asks. Only the test agent does what is known before. */
  isApproved: boolean;
}

/** @param command undefined: the test agent */
export function createDemoAgent(command?: NamedCommand): DemoAgent {
  const prompt = command
    ? 'Which files are in the current folder? Answer in one short sentence.'
    : 'tool 3 tests passed\nsay All tests pass.\nname A first greeting\n' +
      `edit greeting.txt Hello at ${new Date().toISOString()}`;
  return { options: createAgentOptions({ agent: [command ?? TEST_AGENT] })!, prompt, isApproved: !command };
}

export interface DemoMachine {
  service: MachineRunner;
  isNew: boolean;
  /** Replaces the listener of the machine's events. */
  setListener: (listener: (event: MachineEvent) => void) => void;
}

/** Starts this process as a machine of the account. Reuses the pairing of an earlier run in this folder. */
export async function startDemoMachine(
  url: string,
  folder: string,
  account: DemoAccount,
  agents: AgentOptions,
  signal: AbortSignal,
): Promise<DemoMachine> {
  const store = new FileKeyStore(join(folder, 'machine.json'));
  const startMachine = () => pairAndServe(url, folder, store, account, agents, signal);
  try {
    return await startMachine();
  } catch (error) {
    // The key file belongs to another account's machine or to a revoked one.
    if (!(error instanceof DeviceRejectedError)) throw error;
    await rm(store.location, { force: true });
    return startMachine();
  }
}

async function pairAndServe(
  url: string,
  folder: string,
  store: FileKeyStore,
  { device, username }: DemoAccount,
  agents: AgentOptions,
  signal: AbortSignal,
): Promise<DemoMachine> {
  const cwd = join(folder, 'work');
  await mkdir(cwd, { recursive: true });
  // In a work tree, the machine stores what a turn changes. Without Git, the demo goes on without it.
  await runFile('git', ['init', '--quiet'], { cwd }).catch(() => undefined);
  let listener: (event: MachineEvent) => void = () => undefined;
  let rejectApproval: (error: unknown) => void = () => undefined;
  const approvalFailed = new Promise<never>((_, reject) => (rejectApproval = reject));
  const machine = await MachineDevice.open({
    url,
    store,
    account: username,
    name: 'Quickstart machine',
    cwd,
    agents,
    onEvent: (event) => {
      if (event.event === 'pairing') device.approveByFingerprint(event.code, event.fingerprint).catch(rejectApproval);
      listener(event);
    },
  });
  const isNew = !machine.isPaired;
  if (isNew)
    await Promise.race([machine.pairWithAccount({ signal, pollIntervalMs: DEMO_POLL_INTERVAL_MS }), approvalFailed]);
  const service = await machine.startServing({ signal });
  return { service, isNew, setListener: (next) => (listener = next) };
}
