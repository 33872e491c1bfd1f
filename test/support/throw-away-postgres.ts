import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** Where PostgreSQL's own programs are, or null: Debian keeps them off the PATH. */
function programs(): string | null {
  const folders = (process.env.PATH ?? '').split(':');
  if (existsSync(DEBIAN)) folders.push(...readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')));
  return folders.find((folder) => existsSync(join(folder, 'pg_ctl'))) ?? null;
}

/** `describe` for suites that stop and start a PostgreSQL of their own; left out without its programs. */
export function describeOwnPostgres(name: string, suite: () => void): void {
  if (programs() || process.env.REQUIRE_SERVICES === '1') describe(name, suite);
  else describe.skip(name, suite);
}

/** A PostgreSQL cluster for one suite, to be stopped and started at will. */
export class ThrowAwayPostgres {
  private constructor(
    private readonly dir: string,
    private readonly port: number,
    private readonly settings: readonly string[],
  ) {}

  /**
   * @param on where its folder is made
   * @param wal where its write-ahead log lies, if not with its data
   * @param settings as `name=value`, beside those that every one has
   */
  static async create({
    on = tmpdir(),
    wal,
    settings = [],
  }: { on?: string; wal?: string; settings?: readonly string[] } = {}): Promise<ThrowAwayPostgres> {
    const dir = mkdtempSync(join(on, 'external-api-pg-'));
    const cluster = new ThrowAwayPostgres(dir, await freePort(), settings);
    if (isRoot()) chownSync(cluster.dir, ...(await postgresUser()));
    const apart = wal ? ['--waldir', join(wal, 'wal')] : [];
    const how = ['-U', 'postgres', '-A', 'trust', '--no-sync', ...apart];
    await cluster.program('initdb', '-D', cluster.data, ...how);
    await cluster.start();
    return cluster;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** The file that its processes log to. */
  get log(): string {
    return join(this.dir, 'log');
  }

  /** Does nothing to one that runs. */
  async start(): Promise<void> {
    if (await this.isRunning()) return;
    const given = this.settings.map((setting) => ` -c ${setting}`).join('');
    const options = `-p ${this.port} -h 127.0.0.1 -k ${this.dir} -c fsync=off${given}`;
    await this.program('pg_ctl', '-D', this.data, '-w', '-l', this.log, '-o', options, 'start');
  }

  /** `immediate` is as if it had crashed. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.program('pg_ctl', '-D', this.data, '-w', '-m', mode, 'stop');
  }

  /** From now on it wants this password; `url` does not say it. */
  async protect(password: string): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query(`ALTER ROLE postgres PASSWORD '${password}'`);
    writeFileSync(join(this.data, 'pg_hba.conf'), 'host all all all scram-sha-256\n');
    await client.query('SELECT pg_reload_conf()');
    await client.end();
  }

  async remove(): Promise<void> {
    await this.stop('immediate').catch(() => undefined);
    rmSync(this.dir, { recursive: true, force: true });
  }

  private isRunning(): Promise<boolean> {
    return this.program('pg_ctl', '-D', this.data, 'status').then(
      () => true,
      () => false,
    );
  }

  private get data(): string {
    return join(this.dir, 'data');
  }

  private async program(name: string, ...args: string[]): Promise<void> {
    const folder = programs();
    if (!folder) throw new Error('The programs of PostgreSQL are not installed here.');
    const command = [join(folder, name), ...args];
    // PostgreSQL refuses to run as root.
    const [file, ...rest] = isRoot() ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    await run(file!, rest, { cwd: this.dir });
  }
}

function isRoot(): boolean {
  return userInfo().uid === 0;
}

async function postgresUser(): Promise<[uid: number, gid: number]> {
  const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  return [Number(ids[0]!.stdout), Number(ids[1]!.stdout)];
}
