import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DeviceRefusedError,
  KeyFile,
  MachineDevice,
  type MachineEvent,
  type MachineService,
} from '../reference-device';
import type { DemoAccount } from './demo-account';

const POLL_MS = 100;

/** What answers messages that are sent into the machine's session. */
export const ANSWERING_PROGRAM = ['tr', 'a-z', 'A-Z'];

export interface DemoMachine {
  service: MachineService;
  isNew: boolean;
  /** Told what the machine does from now on. */
  listen: (listener: (event: MachineEvent) => void) => void;
}

/** This process as a machine of the account: paired by an earlier run in this folder, or now. */
export async function demoMachine(
  url: string,
  folder: string,
  account: DemoAccount,
  signal: AbortSignal,
): Promise<DemoMachine> {
  const store = new KeyFile(join(folder, 'machine.json'));
  const serve = () => pairAndServe(url, folder, store, account, signal);
  try {
    return await serve();
  } catch (error) {
    // Keys of another account's machine, or of one that was revoked.
    if (!(error instanceof DeviceRefusedError)) throw error;
    await rm(store.location, { force: true });
    return serve();
  }
}

async function pairAndServe(
  url: string,
  folder: string,
  store: KeyFile,
  { device, username }: DemoAccount,
  signal: AbortSignal,
): Promise<DemoMachine> {
  const cwd = join(folder, 'work');
  await mkdir(cwd, { recursive: true });
  let listener: (event: MachineEvent) => void = () => undefined;
  let denied: (error: unknown) => void = () => undefined;
  const approvalFailed = new Promise<never>((_, reject) => (denied = reject));
  const machine = await MachineDevice.open({
    url,
    store,
    account: username,
    name: 'quickstart',
    cwd,
    onMessage: ANSWERING_PROGRAM,
    onEvent: (event) => {
      if (event.event === 'pairing') device.approveOwn(event.code, event.fingerprint).catch(denied);
      listener(event);
    },
  });
  const isNew = !machine.paired;
  if (isNew) await Promise.race([machine.pair({ signal, pollIntervalMs: POLL_MS }), approvalFailed]);
  const service = await machine.serve({ signal });
  return { service, isNew, listen: (next) => (listener = next) };
}
