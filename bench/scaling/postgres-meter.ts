import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { cpuOfTree, parentOf } from './process-tree';
import { countStatements, type Statements } from './statement-log';

/** What a PostgreSQL cluster has used since it started. */
export interface PostgresUse {
  /** Of the server and all its backends. */
  cpuUs: number;
  walBytes: number;
}

/** A setting reaches all backends by a signal. */
const RELOAD_MS = 200;

/** Reads a PostgreSQL cluster that nobody else uses. */
export class PostgresMeter {
  private readonly client: Client;
  private own = 0;
  private server = 0;

  private constructor(
    url: string,
    private readonly log: string,
  ) {
    this.client = new Client({ connectionString: url });
  }

  static async connect(url: string, log: string): Promise<PostgresMeter> {
    const meter = new PostgresMeter(url, log);
    await meter.client.connect();
    const { rows } = await meter.client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    meter.own = rows[0]!.pid;
    meter.server = parentOf(meter.own);
    return meter;
  }

  async read(): Promise<PostgresUse> {
    const { rows } = await this.client.query<{ wal: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0' AS wal`);
    return { cpuUs: cpuOfTree(this.server, this.own), walBytes: Number(rows[0]!.wal) };
  }

  /** Heap, indexes and TOAST, of its partitions if it has some, once the room of what was updated is given back. */
  async sizeOf(table: string): Promise<{ bytes: number; rows: number }> {
    await this.client.query(`VACUUM FULL ${table}`);
    const { rows } = await this.client.query<{ bytes: string; rows: string }>(
      `SELECT (SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('${table}')) AS bytes,
              (SELECT count(*) FROM ${table}) AS rows`,
    );
    const [plain] = (await this.client.query<{ bytes: string }>(`SELECT pg_total_relation_size('${table}') AS bytes`))
      .rows;
    return { bytes: Number(rows[0]!.bytes ?? plain!.bytes), rows: Number(rows[0]!.rows) };
  }

  async query(sql: string): Promise<void> {
    await this.client.query(sql);
  }

  /** Read off the server's own log: its statistics come late, and each backend's at another time. */
  async statementsDuring(work: () => Promise<void>): Promise<Statements> {
    await this.setLogging('all');
    const from = statSync(this.log).size;
    try {
      await work();
    } finally {
      await this.setLogging('none');
    }
    const file = await open(this.log);
    try {
      const text = Buffer.alloc(statSync(this.log).size - from);
      await file.read(text, 0, text.length, from);
      return countStatements(text.toString(), this.own.toString(16));
    } finally {
      await file.close();
    }
  }

  async version(): Promise<string> {
    const { rows } = await this.client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]!.server_version;
  }

  stop(): Promise<void> {
    return this.client.end();
  }

  private async setLogging(what: 'all' | 'none'): Promise<void> {
    await this.client.query(`ALTER SYSTEM SET log_statement = '${what}'`);
    await this.client.query('SELECT pg_reload_conf()');
    await sleep(RELOAD_MS);
  }
}
