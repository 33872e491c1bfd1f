import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findFreePort } from './find-free-port';

const execFileAsync = promisify(execFile);
const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** Folder of PostgreSQL's programs, which Debian installs outside of PATH. Null if they are missing. */
function findProgramsFolder(): string | null {
  const folders = (process.env.PATH ?? '').split(':');
  if (existsSync(DEBIAN_FOLDER))
    folders.push(...readdirSync(DEBIAN_FOLDER).map((version) => join(DEBIAN_FOLDER, version, 'bin')));
  return folders.find((folder) => existsSync(join(folder, 'pg_ctl'))) ?? null;
}

/** `describe` for suites that stop and start their own PostgreSQL. Skipped without its programs. */
export function describeWithTemporaryPostgres(name: string, suite: () => void): void {
  if (findProgramsFolder() || process.env.REQUIRE_SERVICES === '1') describe(name, suite);
  else describe.skip(name, suite);
}

/** PostgreSQL server of one suite, which the suite may stop and start. */
export class TemporaryPostgres {
  private constructor(
    private readonly dir: string,
    private readonly port: number,
    private readonly settings: readonly string[],
  ) {}

  /**
   * @param on parent of the data folder
   * @param wal folder of the write-ahead log, if not in the data folder
   * @param settings additional settings as `name=value`
   */
  static async createCluster({
    on = tmpdir(),
    wal,
    settings = [],
  }: { on?: string; wal?: string; settings?: readonly string[] } = {}): Promise<TemporaryPostgres> {
    const dir = mkdtempSync(join(on, 'external-api-pg-'));
    const cluster = new TemporaryPostgres(dir, await findFreePort(), settings);
    if (isRoot()) chownSync(cluster.dir, ...(await findPostgresUser()));
    const apart = wal ? ['--waldir', join(wal, 'wal')] : [];
    const how = ['-U', 'postgres', '-A', 'trust', '--no-sync', ...apart];
    await cluster.runProgram('initdb', '-D', cluster.dataFolder, ...how);
    await cluster.start();
    return cluster;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Path of the server's log file. */
  get logPath(): string {
    return join(this.dir, 'log');
  }

  /** Starts the server unless it is running. */
  async start(): Promise<void> {
    if (await this.isRunning()) return;
    const given = this.settings.map((setting) => ` -c ${setting}`).join('');
    const options = `-p ${this.port} -h 127.0.0.1 -k ${this.dir} -c fsync=off${given}`;
    await this.runProgram('pg_ctl', '-D', this.dataFolder, '-w', '-l', this.logPath, '-o', options, 'start');
  }

  /** Stops the server. `immediate` simulates a crash. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.runProgram('pg_ctl', '-D', this.dataFolder, '-w', '-m', mode, 'stop');
  }

  /** Requires this password from now on. `url` doesn't contain it. */
  async requirePassword(password: string): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query(`ALTER ROLE postgres PASSWORD '${password}'`);
    writeFileSync(join(this.dataFolder, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
    await client.query('SELECT pg_reload_conf()');
    await client.end();
  }

  async removeCluster(): Promise<void> {
    await this.stop('immediate').catch(() => undefined);
    rmSync(this.dir, { recursive: true, force: true });
  }

  private isRunning(): Promise<boolean> {
    return this.runProgram('pg_ctl', '-D', this.dataFolder, 'status').then(
      () => true,
      () => false,
    );
  }

  private get dataFolder(): string {
    return join(this.dir, 'data');
  }

  private async runProgram(name: string, ...args: string[]): Promise<void> {
    const folder = findProgramsFolder();
    if (!folder) throw new Error('The programs of PostgreSQL are not installed.');
    const command = [join(folder, name), ...args];
    // PostgreSQL refuses to run as root.
    const [file, ...rest] = isRoot() ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    await execFileAsync(file!, rest, { cwd: this.dir });
  }
}

export function isRoot(): boolean {
  return userInfo().uid === 0;
}

export async function findPostgresUser(): Promise<[uid: number, gid: number]> {
  const ids = await Promise.all(['-u', '-g'].map((flag) => execFileAsync('id', [flag, 'postgres'])));
  return [Number(ids[0]!.stdout), Number(ids[1]!.stdout)];
}
