import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { findInstalledProgram } from './dependencies';
import { findFreePort } from './find-free-port';
import { waitFor } from './wait-for';

const execFileAsync = promisify(execFile);

/**
 * Runs a program of PostgreSQL, which may be outside of PATH. Links in PATH may lead to some of the programs only.
 * @param user user of the operating system, if not that of the tests
 */
export async function runPostgresProgram(
  name: string,
  args: readonly string[],
  { cwd, user }: { cwd?: string; user?: string } = {},
): Promise<void> {
  const found = findInstalledProgram('pg_ctl');
  if (!found) throw new Error('The programs of PostgreSQL are not installed.');
  const command = [join(dirname(realpathSync(found)), name), ...args];
  const [file, ...rest] = user ? ['runuser', '-u', user, '--', ...command] : command;
  await execFileAsync(file!, rest, { cwd });
}

/** PostgreSQL server of one suite, which the suite may stop and start. */
export class TemporaryPostgres {
  private wasKilled = false;

  private constructor(
    private readonly dir: string,
    readonly port: number,
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
    const cluster = await TemporaryPostgres.createFolder(on, settings);
    const apart = wal ? ['--waldir', join(wal, 'wal')] : [];
    const how = ['-U', 'postgres', '-A', 'trust', '--no-sync', ...apart];
    await cluster.runProgram('initdb', '-D', cluster.dataFolder, ...how);
    await cluster.start();
    return cluster;
  }

  /** Creates the folder of a server, without its data. */
  private static async createFolder(on: string, settings: readonly string[]): Promise<TemporaryPostgres> {
    const dir = mkdtempSync(join(on, 'external-api-pg-'));
    if (isRoot()) chownSync(dir, ...(await findPostgresUser()));
    return new TemporaryPostgres(dir, await findFreePort(), settings);
  }

  /** Creates a streaming replica. From then on, this server acknowledges a commit when the replica has it too. */
  async createSynchronousReplica(): Promise<TemporaryPostgres> {
    const replica = await TemporaryPostgres.createFolder(tmpdir(), this.settings);
    const how = ['-d', this.url, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
    await replica.runProgram('pg_basebackup', '-D', replica.dataFolder, ...how);
    await replica.start();
    await this.runStatements(`ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()');
    await waitFor(async () => {
      const rows = await this.runStatements('SELECT sync_state FROM pg_stat_replication');
      expect(rows).toEqual([{ sync_state: 'sync' }]);
    }, 20_000);
    return replica;
  }

  /** Makes a replica a primary that accepts writes. */
  async promote(): Promise<void> {
    await this.runProgram('pg_ctl', '-D', this.dataFolder, '-w', 'promote');
  }

  /** Kills all processes of the server at once, as the loss of its machine does. */
  killProcesses(): void {
    this.wasKilled = true;
    const pid = readFileSync(join(this.dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]!;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    for (const each of [pid, ...children]) process.kill(Number(each), 'SIGKILL');
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Returns the id of the server's main process, whose children are its backends and workers. */
  readMainPid(): number {
    return Number(readFileSync(join(this.dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
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
    writeFileSync(join(this.dataFolder, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
    await this.runStatements(`ALTER ROLE postgres PASSWORD '${password}'`, 'SELECT pg_reload_conf()');
  }

  async removeCluster(): Promise<void> {
    // Releases the shared memory that killed processes have left.
    if (this.wasKilled) await this.start().catch(() => undefined);
    await this.stop('immediate').catch(() => undefined);
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** Returns the rows of the last statement. */
  private async runStatements(...statements: string[]): Promise<unknown[]> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      let rows: unknown[] = [];
      for (const statement of statements) ({ rows } = await client.query<object>(statement));
      return rows;
    } finally {
      await client.end();
    }
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
    // PostgreSQL refuses to run as root.
    await runPostgresProgram(name, args, { cwd: this.dir, user: isRoot() ? 'postgres' : undefined });
  }
}

export function isRoot(): boolean {
  return userInfo().uid === 0;
}

export async function findPostgresUser(): Promise<[uid: number, gid: number]> {
  const ids = await Promise.all(['-u', '-g'].map((flag) => execFileAsync('id', [flag, 'postgres'])));
  return [Number(ids[0]!.stdout), Number(ids[1]!.stdout)];
}
