import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { MachineEvent } from '@external-api/device';
import { createTempFolder } from './temp-folder';
import { expectStatus, type ForeignAccountDevice } from './device/foreign-device';
import { validateReportedPackets } from './device/reference-device-packets';
import { waitFor } from './wait-for';
import { findSingleFile } from './program-files';

const START_TIMEOUT_MS = 30_000;
const PACKET_REPORTER = join(__dirname, 'device', 'write-packets.cjs');
/** The reporter replaces methods of a package, which a bundle has a copy of. */
const PRESENT_MAIN = findSingleFile('device');

export interface MachineProcessOptions {
  env?: NodeJS.ProcessEnv;
  /** Further arguments of the command. */
  args?: string[];
  /**
   * Default: a new one. That of an earlier process continues its machine. Null: that of the user whose `HOME` is in
   * `env`.
   */
  keyFile?: string | null;
  /** Program of another build. */
  main?: string;
  /** Program of Node.js. */
  node?: string;
}

/**
 * Process of `npm run device -- machine`, approved by the test's account. test-runner.js deletes its keys. Its packets
 * are validated against asyncapi.json.
 */
export class MachineProcess {
  readonly events: MachineEvent[] = [];
  /** Resolves to the standard error when the process has ended. */
  readonly errorOutput: Promise<string>;
  /** Resolves to the exit status, or null after a signal. */
  readonly exited: Promise<number | null>;

  private constructor(
    private readonly child: ChildProcess,
    private readonly ada: ForeignAccountDevice,
  ) {
    child.stderr!.pipe(process.stderr, { end: false });
    this.errorOutput = text(child.stderr!);
    this.exited = once(child, 'exit').then(([status]) => status as number | null);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const event = JSON.parse(line) as MachineEvent;
      this.events.push(event);
      if (event.event === 'pairing') void this.approvePairing(event.code);
    });
  }

  /**
   * Resolves when the machine serves calls.
   * @param url address to connect to; may differ from the service's public URL, which the account's device uses
   */
  static async start(
    url: string,
    ada: ForeignAccountDevice,
    {
      env = {},
      args = [],
      keyFile = join(createTempFolder(), 'keys'),
      main = PRESENT_MAIN,
      node = process.execPath,
    }: MachineProcessOptions = {},
  ): Promise<MachineProcess> {
    const urls = ['--url', url, '--public-url', ada.http.url];
    const keyFileArgs = keyFile === null ? [] : ['--key-file', keyFile];
    const ownArgs = ['--json', '--account', ada.username, ...urls, ...keyFileArgs];
    // The document is that of the present build.
    const reporting = main === PRESENT_MAIN ? ['--require', PACKET_REPORTER] : [];
    const child = spawn(node, [...reporting, main, 'machine', ...ownArgs, ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    validateReportedPackets(child.stdio[3] as Readable);
    const machine = new MachineProcess(child, ada);
    await waitFor(() => machine.id, START_TIMEOUT_MS);
    return machine;
  }

  /** @throws Error while the machine doesn't serve calls */
  get id(): string {
    for (const event of this.events) if (event.event === 'serving') return event.machineId;
    throw new Error(`The machine does not serve calls: ${JSON.stringify(this.events)}`);
  }

  /** Stops all work of the machine, as the sleep of its computer does. Its agents work on. */
  fallAsleep(): void {
    this.child.kill('SIGSTOP');
  }

  wakeUp(): void {
    this.child.kill('SIGCONT');
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    this.wakeUp();
    await exited;
  }

  private async approvePairing(code: string): Promise<void> {
    const { http, token } = this.ada;
    const { publicKey, encryptionKey } = expectStatus(await http.get(`/v1/pairings/code/${code}`, token), 200).data;
    const enrollment = this.ada.createEnrollment({ keys: { publicKey, encryptionKey } });
    expectStatus(await http.post(`/v1/pairings/code/${code}/approve`, token, { enrollment }), 204);
  }
}
