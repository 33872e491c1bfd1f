import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
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
export const describeOwnPostgres =
  programs() || process.env.REQUIRE_SERVICES === '1' ? describe : describe.skip;

/** A PostgreSQL cluster for one suite, to be stopped and started at will. */
export class ThrowAwayPostgres {
  private constructor(
    private readonly dir: string,
    private readonly port: number,
  ) {}

  static async create(): Promise<ThrowAwayPostgres> {
    const cluster = new ThrowAwayPostgres(mkdtempSync(join(tmpdir(), 'external-api-pg-')), await freePort());
    if (isRoot()) chownSync(cluster.dir, ...(await postgresUser()));
    await cluster.program('initdb', '-D', cluster.data, '-U', 'postgres', '-A', 'trust', '--no-sync');
    await cluster.start();
    return cluster;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  /** Does nothing to one that runs. */
  async start(): Promise<void> {
    if (await this.isRunning()) return;
    const options = `-p ${this.port} -h 127.0.0.1 -k ${this.dir} -c fsync=off`;
    await this.program('pg_ctl', '-D', this.data, '-w', '-l', join(this.dir, 'log'), '-o', options, 'start');
  }

  /** `immediate` is as if it had crashed. */
  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.program('pg_ctl', '-D', this.data, '-w', '-m', mode, 'stop');
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
