import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { POSTGRES_URL } from './backend';
import { findInstalledProgram } from './dependencies';
import { findFreePort } from './find-free-port';
import { findPostgresUser, isRoot } from './temporary-postgres';
import { waitFor } from './wait-for';

/** PgBouncer in transaction mode with its default settings, before the tests' PostgreSQL. */
export class PgBouncer {
  private constructor(
    private readonly dir: string,
    private readonly child: ChildProcess,
    /** Address of the same database as `POSTGRES_URL`. */
    readonly url: string,
  ) {}

  /** @param poolSize connections to PostgreSQL per database */
  static async start(poolSize: number): Promise<PgBouncer> {
    const { hostname, port, username } = new URL(POSTGRES_URL);
    const dir = mkdtempSync(join(tmpdir(), 'external-api-pgbouncer-'));
    const listenPort = await findFreePort();
    const settings = [
      '[databases]',
      `* = host=${hostname} port=${port || 5432}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(dir, 'users.txt')}`,
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
    ];
    writeFileSync(join(dir, 'users.txt'), `"${username}" ""\n`);
    writeFileSync(join(dir, 'pgbouncer.ini'), settings.join('\n'));
    // It refuses to run as root.
    const [uid, gid] = isRoot() ? await findPostgresUser() : [undefined, undefined];
    if (uid !== undefined && gid !== undefined) chownSync(dir, uid, gid);
    const child = spawn(findInstalledProgram('pgbouncer')!, ['--quiet', join(dir, 'pgbouncer.ini')], {
      uid,
      gid,
      stdio: 'ignore',
    });
    const url = new URL(POSTGRES_URL);
    url.host = `127.0.0.1:${listenPort}`;
    const pgBouncer = new PgBouncer(dir, child, url.href);
    await waitFor(() => pgBouncer.checkConnection(), 10_000);
    return pgBouncer;
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
    rmSync(this.dir, { recursive: true });
  }

  private async checkConnection(): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.end();
  }
}
