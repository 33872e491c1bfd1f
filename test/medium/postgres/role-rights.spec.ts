import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { DAY } from '../../../src/common/clock';
import { RetentionService } from '../../../src/core/database';
import { EventLogPartitionService } from '../../../src/core/events/event-log-partition.service';
import { migratePostgres } from '../../../src/core/database/migrate-postgres';
import { AttemptPartitionService } from '../../../src/modules/webhooks/deliveries/attempt-partition.service';
import { DeviceSocket, echoRequest } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { createTestDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { MACHINE_CAPABILITIES, RELAY_SCOPES } from '../../support/relay-test-client';
import { Service } from '../../support/service';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const PRODUCTION_PAGE = join(__dirname, '..', '..', '..', 'docs', 'production.md');
/** Roles belong to the whole server, so they have names of their own here. */
const ROLE = `external_api_${process.pid}`;
const MIGRATING_ROLE = `${ROLE}_migrations`;

/** Returns the documented statements for the new database, and those after the first migration. */
function readDocumentedStatements(): string[] {
  const page = readFileSync(PRODUCTION_PAGE, 'utf8');
  return [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, statements]) => statements!.replaceAll('external_api', ROLE));
}

describeWithPostgres('the rights of the roles of PostgreSQL', () => {
  let testDatabase: TestDatabase;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    env = { ...testDatabase.env, DATABASE_URL: urlOf(ROLE), DATABASE_MIGRATION_URL: urlOf(MIGRATING_ROLE) };
  });
  afterAll(async () => {
    await testDatabase.query(`DROP OWNED BY ${ROLE}, ${MIGRATING_ROLE}; DROP ROLE ${MIGRATING_ROLE}, ${ROLE}`);
    await testDatabase.dropDatabase();
  });

  const urlOf = (role: string) => {
    const url = new URL(testDatabase.url);
    url.username = role;
    return url.href;
  };
  const queryAs = async (role: string, sql: string) => {
    const client = new Client({ connectionString: urlOf(role) });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  const listPartitions = async (parent: string) => {
    const sql = 'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY name';
    return (await testDatabase.query<{ name: string }>(sql, [parent])).map(({ name }) => name);
  };

  it('are those documented, for migrations, calls and a day of background tasks', async () => {
    const [statements, statementsAfterMigration] = readDocumentedStatements();
    await testDatabase.query(statements!);
    await migratePostgres(urlOf(MIGRATING_ROLE));
    const refused = await ServiceProcess.runUntilExit(env);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(/^The database at DATABASE_URL cannot be used: its role lacks rights [^\n]*\n$/);
    expect(refused.stderr).toContain('event_log');
    await queryAs(MIGRATING_ROLE, statementsAfterMigration!);

    const service = await Service.start({ ...env, SIGNUP: 'open' });
    try {
      const ada = await ForeignAccountDevice.signUp(service.http);
      const { token } = await ada.createToken([...RELAY_SCOPES, 'webhooks:manage']);
      const webhook = { url: 'https://example.com/hook', events: ['*'] };
      const { id } = expectStatus(await service.http.post('/external/v1/webhooks', token, webhook), 201).data;
      const device = await ada.pairDevice('machine');
      const body = { name: 'box', platform: 'linux' };
      const machine = expectStatus(await service.http.post('/v1/machines', device.token, body), 201).data;
      await ada.createSession(device);
      const socket = await DeviceSocket.connect(service.url, device.token, MACHINE_CAPABILITIES, echoRequest);
      const invoke = { command: 'true' };
      expectStatus(await service.http.post(`/external/v1/machines/${machine.id}/invoke`, token, invoke), 200);
      socket.close();
      expectStatus(await service.http.delete(`/external/v1/webhooks/${id}`, token), 204);

      const partitions = [
        service.app.get(EventLogPartitionService, { strict: false }),
        service.app.get(AttemptPartitionService, { strict: false }),
      ];
      for (const parent of ['event_log', 'webhook_attempts']) {
        await waitFor(async () => expect(await listPartitions(parent)).not.toHaveLength(1));
      }
      const before = await listPartitions('event_log');
      service.advanceClock(3 * DAY);
      for (const each of partitions) await each.maintainPartitions();
      const after = await listPartitions('event_log');
      expect(after.length).toBeGreaterThan(2);
      expect(after).not.toEqual(expect.arrayContaining(before));
      await service.app.get(RetentionService, { strict: false }).deleteExpiredRows();
      expect(service.logs.filter((line) => /permission denied|must be owner|42501/.test(line))).toEqual([]);
    } finally {
      await service.app.close();
    }
    const again = await ServiceProcess.start(env);
    expect(await again.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});
