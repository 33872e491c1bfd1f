import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../../../src/core/config';
import { ConnectionMonitor } from '../../../src/core/database/connection-monitor';
import { openDataSource } from '../../../src/core/database/data-source';
import { POSTGRES_URL } from '../../support/backend';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import {
  createDatabaseEnvironment,
  createMigratedDatabase,
  createTestDatabase,
  describeWithPostgres,
  type TestDatabase,
} from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';

/** What an administrator may set for other programs, and what the service needs. */
const SETTINGS: [name: string, administered: string, needed: string][] = [
  ['DateStyle', 'SQL, DMY', 'ISO, MDY'],
  ['IntervalStyle', 'sql_standard', 'postgres'],
  ['TimeZone', 'Asia/Kathmandu', 'UTC'],
  ['bytea_output', 'escape', 'hex'],
  ['client_encoding', 'LATIN1', 'UTF8'],
  ['default_transaction_deferrable', 'on', 'off'],
  ['default_transaction_isolation', 'serializable', 'read committed'],
  ['extra_float_digits', '-15', '1'],
  ['idle_in_transaction_session_timeout', '500ms', '30s'],
  ['idle_session_timeout', '1s', '0'],
  ['lock_timeout', '100ms', '0'],
  ['quote_all_identifiers', 'on', 'off'],
  ['standard_conforming_strings', 'off', 'on'],
  ['statement_timeout', '500ms', '1min'],
];
const POOLED = SETTINGS.filter(([name]) => !/timeout|DateStyle|TimeZone|client_encoding/.test(name));

describeWithPostgres('the settings of database sessions', () => {
  let testDatabase: TestDatabase;
  let name: string;
  beforeEach(async () => {
    testDatabase = await createMigratedDatabase();
    name = new URL(testDatabase.url).pathname.slice(1);
    for (const [setting, value] of SETTINGS) await alterDatabase(`SET ${setting} = '${value}'`);
  });
  afterEach(() => testDatabase.dropDatabase());

  /** From another database: its own settings would end the session. */
  const alterDatabase = async (change: string) => {
    const client = new Client({ connectionString: POSTGRES_URL });
    await client.connect();
    await client.query(`ALTER DATABASE ${name} ${change}`);
    await client.end();
  };

  it('are those that statements need, whatever the database sets', async () => {
    const dataSource: DataSource = await openDataSource(loadConfig(testDatabase.env), []);
    try {
      for (const [setting, , needed] of SETTINGS) {
        const [row] = await dataSource.query<{ value: string }[]>('SELECT current_setting($1) AS value', [setting]);
        expect([setting, row!.value]).toEqual([setting, needed]);
      }
    } finally {
      await dataSource.destroy();
    }
  });

  it('let the service work, also after sessions were idle and while a table is locked', async () => {
    const service = await ServiceProcess.start(testDatabase.env);
    const locker = new Client({ connectionString: testDatabase.url, statement_timeout: 0, query_timeout: 0 });
    try {
      const ada = await ForeignAccountDevice.signUp(service.http);
      const { token } = await ada.createToken(['webhooks:manage']);
      const webhook = { url: 'https://example.com/hook', events: ['*'], description: 'box 🚀 \\ 东京' };
      const created = expectStatus(await service.http.post('/external/v1/webhooks', token, webhook), 201).data;
      expect(created).toMatchObject({ description: webhook.description });
      expect(Math.abs(created.createdAt - Date.now())).toBeLessThan(60_000);
      await locker.connect();
      await locker.query('SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0');
      await locker.query('BEGIN');
      await locker.query('LOCK TABLE webhooks');
      const waiting = service.http.post('/external/v1/webhooks', token, webhook);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await locker.query('COMMIT');
      expectStatus(await waiting, 201);
      const { data } = expectStatus(await service.http.get('/external/v1/webhooks', token), 200);
      expect(data.map((each: { createdAt: number }) => each.createdAt)).toContain(created.createdAt);
    } finally {
      await locker.end();
      await service.stop('SIGKILL');
    }
  });

  it('must be the defaults behind a pooler, which the service says when it connects', async () => {
    const monitor = new ConnectionMonitor({ connectionString: testDatabase.url }, 30);
    const client = new Client({ connectionString: testDatabase.url, statement_timeout: 30_000 });
    await client.connect();
    try {
      // A pooler invents the id of the process.
      Object.assign(client, { processID: 1 });
      const message = POOLED.map(([setting, , needed]) => `ALTER ROLE … SET ${setting} = '${needed}'`).join('; ');
      await expect(monitor.addConnection(client)).rejects.toThrow(message);
      for (const [setting] of POOLED) await alterDatabase(`RESET ${setting}`);
    } finally {
      await client.end();
    }
    const second = new Client({ connectionString: testDatabase.url, statement_timeout: 30_000 });
    await second.connect();
    Object.assign(second, { processID: 1 });
    await expect(monitor.addConnection(second)).resolves.toBe(false);
    await second.end();
  });
});

describeWithPostgres('a database that the service cannot use', () => {
  const createDatabase = async (options: string) => {
    const client = new Client({ connectionString: POSTGRES_URL });
    const name = `external_api_settings_${process.pid}`;
    await client.connect();
    await client.query(`CREATE DATABASE ${name} ${options}`);
    const url = new URL(POSTGRES_URL);
    url.pathname = `/${name}`;
    return {
      url: url.href,
      drop: async () => {
        await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
        await client.end();
      },
    };
  };

  it.each(['LATIN1', 'SQL_ASCII'])('is one with the encoding %s, which is one line at start', async (encoding) => {
    const options = `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`;
    const { url, drop } = await createDatabase(options);
    try {
      const { code, stderr } = await ServiceProcess.runUntilExit(createDatabaseEnvironment(url));
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(
          new RegExp(
            `^The database at DATABASE_URL cannot be used: its encoding is ${encoding}\\. Create [^\n]* UTF8\\.\n$`,
          ),
        ) as unknown,
      });
    } finally {
      await drop();
    }
  });

  it('is one without a schema in its search_path', async () => {
    const testDatabase = await createTestDatabase();
    try {
      await testDatabase.query(`ALTER DATABASE ${new URL(testDatabase.url).pathname.slice(1)} SET search_path = ''`);
      const { code, stderr } = await ServiceProcess.runUntilExit(testDatabase.env);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'The database at DATABASE_URL cannot be used: its search_path names no existing schema\n',
      });
    } finally {
      await testDatabase.dropDatabase();
    }
  });
});
