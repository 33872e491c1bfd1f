import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryKeyStore, signUp, type AccountDevice, type MachineIdentity } from '@external-api/device';
import { BenchProcess } from './bench-process';

const SCOPES = ['sessions:read', 'sessions:write', 'machines:invoke', 'sessions:content'];

/** A machine of the reference device in its own process, paired with an account of its own, and a token of it. */
export class PairedMachine {
  private constructor(
    readonly benchProcess: BenchProcess,
    readonly account: AccountDevice,
    readonly accountStore: MemoryKeyStore,
    readonly identity: MachineIdentity,
    readonly token: string,
    private readonly folder: string,
  ) {}

  /** @param env of `agent-machine-process.ts` */
  static async start(url: string, env: NodeJS.ProcessEnv): Promise<PairedMachine> {
    const username = `user-${randomBytes(6).toString('hex')}`;
    const accountStore = new MemoryKeyStore();
    const account = await signUp({ url, store: accountStore, username });
    const folder = mkdtempSync(join(tmpdir(), 'bench-agent-'));
    const benchProcess = BenchProcess.start('bench/support/agent-machine-process.ts', {
      ...{ SERVICE_URL: url, ACCOUNT: username, FOLDER: folder },
      ...env,
    });
    try {
      const { code, fingerprint } = await benchProcess.waitForMember<{ code: string; fingerprint: string }>('pairing');
      const serving = benchProcess.waitForMember<MachineIdentity>('identity');
      await account.approveByFingerprint(code, fingerprint);
      const identity = await serving;
      const { token } = await account.createToken({ name: 'bench', scopes: SCOPES });
      return new PairedMachine(benchProcess, account, accountStore, identity, token, folder);
    } catch (error) {
      await benchProcess.stop();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  stop = async (): Promise<void> => {
    await this.benchProcess.stop();
    rmSync(this.folder, { recursive: true, force: true });
  };
}
