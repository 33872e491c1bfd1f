import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { MachineEvent } from '../../src/reference-device';
import { newFolder } from './data-folder';
import { ok, type AccountDevice } from './device/foreign-device';
import { eventually } from './eventually';
import { BUILD } from './service-process';

const START_MS = 30_000;

/** `npm run device -- machine` in a process of its own, adopted by the test's account; `removeFolders` takes its keys. */
export class MachineProcess {
  readonly events: MachineEvent[] = [];

  private constructor(
    private readonly child: ChildProcess,
    private readonly ada: AccountDevice,
  ) {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const event = JSON.parse(line) as MachineEvent;
      this.events.push(event);
      if (event.event === 'pairing') void this.approve(event.code);
    });
  }

  /**
   * Resolves when it serves.
   * @param url where it connects; the service calls itself by the URL that the account's device has
   */
  static async start(url: string, ada: AccountDevice, env: NodeJS.ProcessEnv = {}): Promise<MachineProcess> {
    const main = join(BUILD, 'src', 'reference-device', 'main.js');
    const urls = ['--url', url, '--public-url', ada.http.url];
    const args = ['--json', '--account', ada.username, ...urls, '--key-file', join(newFolder(), 'keys')];
    const child = spawn(process.execPath, [main, 'machine', ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const machine = new MachineProcess(child, ada);
    await eventually(() => machine.id, START_MS);
    return machine;
  }

  /** @throws while it does not serve */
  get id(): string {
    for (const event of this.events) if (event.event === 'serving') return event.machineId;
    throw new Error(`The machine does not serve: ${JSON.stringify(this.events)}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  private async approve(code: string): Promise<void> {
    const { http, token } = this.ada;
    const { publicKey, encryptionKey } = ok(await http.get(`/v1/pairings/code/${code}`, token), 200).data;
    const enrollment = this.ada.enrollmentFor({ keys: { publicKey, encryptionKey } });
    ok(await http.post(`/v1/pairings/code/${code}/approve`, token, { enrollment }), 204);
  }
}
