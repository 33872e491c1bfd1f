import { Clock, DAY, HOUR, MINUTE, SECOND } from '../../src/common/clock';
import { generateId, getLowestId } from '../../src/common/ids';
import { RetentionService } from '../../src/core/database';
import { AttemptPartitionService } from '../../src/modules/webhooks/deliveries/attempt-partition.service';
import { GrantedSession } from '../support/content/granted-session';
import { queryDatabase } from '../support/database';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { ThirdPartyApp } from '../support/oauth/third-party-app';
import { Service } from '../support/service';

/** Times by which expired rows are found, of tables whose ids do not sort by them. */
const AGES = {
  audit_events: 'created_at',
  developer_app_secrets: 'expires_at',
  device_revocations: 'revoked_at',
  device_tokens: 'expires_at',
  idempotency_keys: 'expires_at',
  invocations: 'updated_at',
  kept_answer_hours: 'hour',
  key_grants: 'expires_at',
  oauth_access_tokens: 'expires_at',
  oauth_codes: 'expires_at',
  oauth_requests: 'expires_at',
  oauth_token_families: 'expires_at',
  pairings: 'expires_at',
  push_notices: 'expires_at',
  queued_messages: 'ended_at',
  relay_calls: 'created_at',
  usage_counts: 'hour',
  used_challenges: 'expires_at',
};

/** Selects those that no b-tree of the whole table starts with. */
const UNSORTED_AGES = `
  SELECT t.name, t.age FROM unnest($1::text[], $2::text[]) AS t (name, age) WHERE NOT EXISTS (
    SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
      JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE i.indrelid = to_regclass(t.name) AND i.indpred IS NULL AND m.amname = 'btree' AND a.attname = t.age)`;

describe('expired data', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  const count = (table: string) => countRows(service, table);

  it.each([
    ['used_challenges', 'expires_at', 0],
    ['pairings', 'expires_at', DAY],
    ['device_tokens', 'expires_at', 30 * DAY],
    ['device_revocations', 'revoked_at', DAY],
    ['idempotency_keys', 'expires_at', 0],
    ['kept_answer_hours', 'hour', 2 * DAY],
    ['relay_calls', 'created_at', 30 * DAY],
    ['usage_counts', 'hour', 400 * DAY],
    ['audit_events', 'created_at', 400 * DAY],
    ['key_grants', 'expires_at', 0],
    ['developer_app_secrets', 'expires_at', 0],
    ['push_notices', 'expires_at', HOUR],
  ])('in %s is deleted when its %s is %d ms ago, and not before', async (table, column, retentionMs) => {
    await createRowsOfEveryTable(service);
    const rows = await count(table);
    expect(rows).toBeGreaterThan(0);
    await setAge(service, table, column, retentionMs - MINUTE);
    await deleteExpiredRows(service);
    expect(await count(table)).toBe(rows);
    await setAge(service, table, column, retentionMs + SECOND);
    await deleteExpiredRows(service);
    expect(await count(table)).toBe(0);
  });

  it('is found by an index that stays sorted when new rows fill the pages of deleted ones', async () => {
    const unsorted = await queryDatabase(service, UNSORTED_AGES, [Object.keys(AGES), Object.values(AGES)]);
    expect(unsorted).toEqual([]);
  });

  it('is deleted without affecting devices and their valid tokens', async () => {
    await createRowsOfEveryTable(service);
    const before = [await count('devices'), await count('device_tokens'), await count('accounts')];
    service.advanceClock(29 * DAY);
    await deleteExpiredRows(service);
    expect([await count('devices'), await count('device_tokens'), await count('accounts')]).toEqual(before);
  });

  it('is deleted in one run even if it is more than one batch', async () => {
    const existing = await count('used_challenges');
    await queryDatabase(
      service,
      `INSERT INTO used_challenges (hash, expires_at)
       SELECT decode(md5(n::text), 'hex'), $1::timestamptz FROM generate_series(1, 2500) n`,
      [new Date(service.app.get(Clock).now() - DAY)],
    );
    expect(await count('used_challenges')).toBe(existing + 2_500);
    await deleteExpiredRows(service);
    expect(await count('used_challenges')).toBeLessThanOrEqual(existing);
  });

  it('of apps is deleted when it expires: requests, codes, tokens and sign-ins', async () => {
    const app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const bob = await ForeignAccountDevice.signUp(service.http);
    const left = async () => {
      await deleteExpiredRows(service);
      const counts: number[] = [];
      for (const name of ['requests', 'codes', 'access_tokens', 'refresh_tokens', 'token_families']) {
        counts.push(await count(`oauth_${name}`));
      }
      return counts;
    };
    await app.obtainTokens(service, bob);
    await app.obtainCode(service, bob, { redirect_uri: app.redirectUri, scope: 'usage:read' });
    await app.requestAuthorization();
    expect(await left()).toEqual([1, 1, 1, 1, 1]);
    service.advanceClock(HOUR);
    expect(await left()).toEqual([0, 0, 1, 1, 1]);
    service.advanceClock(DAY);
    expect(await left()).toEqual([0, 0, 0, 1, 1]);
    service.advanceClock(30 * DAY);
    expect(await left()).toEqual([0, 0, 0, 1, 1]);
    service.advanceClock(60 * DAY);
    expect(await left()).toEqual([0, 0, 0, 1, 1]);
    service.advanceClock(30 * DAY);
    expect(await left()).toEqual([0, 0, 0, 0, 0]);
    expect(await count('app_authorizations')).toBe(1);
  });
});

describe('data with other retention settings', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start({
      RELAY_CALL_RETENTION_DAYS: '2',
      USAGE_RETENTION_DAYS: '3',
      INVOCATION_RETENTION_DAYS: '4',
      QUEUED_MESSAGE_RETENTION_DAYS: '5',
      DELIVERY_RETENTION_DAYS: '6',
    });
    await createRowsOfEveryTable(service);
    await createRowsWithSettings(service);
  });
  afterAll(() => service?.stop());

  it.each([
    ['relay_calls', 'created_at', 2],
    ['usage_counts', 'hour', 3],
    ['invocations', 'updated_at', 4],
    ['queued_messages', 'ended_at', 5],
    ['webhook_deliveries', 'created_at', 6],
    ['webhook_backlog_batches', 'created_at', 6],
  ])('in %s is deleted when its %s is %d days ago, and not before', async (table, column, days) => {
    const rows = await countRows(service, table);
    expect(rows).toBeGreaterThan(0);
    await setAge(service, table, column, days * DAY - MINUTE);
    await deleteExpiredRows(service);
    expect(await countRows(service, table)).toBe(rows);
    await setAge(service, table, column, days * DAY + SECOND);
    await deleteExpiredRows(service);
    expect(await countRows(service, table)).toBe(0);
  });

  it('has no partitions of attempts from before them', async () => {
    const partitions = service.app.get(AttemptPartitionService, { strict: false });
    const now = service.app.get(Clock).now();
    await partitions.ensurePartitions([now - 7 * DAY, now - 6 * DAY]);
    await partitions.maintainPartitions();
    const rows = await queryDatabase<{ oldest: string }>(
      service,
      `SELECT min(inhrelid::regclass::text) AS oldest FROM pg_inherits WHERE inhparent = 'webhook_attempts'::regclass`,
    );
    const oldest = new Date(now - 6 * DAY).toISOString().slice(0, 10).replaceAll('-', '');
    expect(rows).toEqual([{ oldest: `webhook_attempts_${oldest}` }]);
  });
});

async function countRows(service: Service, table: string): Promise<number> {
  const [row] = await queryDatabase<{ count: number }>(service, `SELECT count(*)::int AS count FROM ${table}`);
  return row!.count;
}

function deleteExpiredRows(service: Service): Promise<void> {
  return service.app.get(RetentionService, { strict: false }).deleteExpiredRows();
}

/** Sets a time of all rows of a table to this long before the service's time. */
function setAge(service: Service, table: string, column: string, ageMs: number): Promise<unknown> {
  const time = new Date(service.app.get(Clock).now() - ageMs);
  return queryDatabase(service, `UPDATE ${table} SET ${column} = $1`, [time]);
}

/** Creates an account with at least one row in each table whose rows expire one by one. */
async function createRowsOfEveryTable(service: Service): Promise<void> {
  const ada = await ForeignAccountDevice.signUp(service.http);
  const { id } = await ada.pairDevice('machine');
  expectStatus(await service.http.delete(`/v1/devices/${id}`, ada.token), 204);
  expectStatus(await (await GrantedSession.createSession(ada)).grantToService(), 201);
  await ThirdPartyApp.register(ada);
  const insert = (table: string, columns: string, values: string) =>
    queryDatabase(service, `INSERT INTO ${table} (account_id, ${columns}) VALUES ($1, ${values})`, [ada.accountId]);
  await insert(
    'relay_calls',
    'request_id, method, token_id, request_bytes, status, created_at',
    `'${generateId('req')}', 'machine.invoke', 'tok_1', 1, 200, now()`,
  );
  await insert(
    'usage_counts',
    'hour, bucket, token_id, operation, requests, errors, rate_limited',
    `now(), 'metadata', 'tok_1', 'getMe', 1, 0, 0`,
  );
  await insert(
    'idempotency_keys',
    'id, request_hash, call_id, origin, created_at, expires_at',
    `convert_to($1, 'UTF8'), '', 'req_1', 'ins_1', now(), now()`,
  );
  await insert('kept_answer_hours', 'hour, bytes', 'now(), 1');
  const subscriptionId = generateId('push');
  await insert(
    'push_subscriptions',
    'id, device_id, endpoint_hash, target, events, server_key, created_at',
    `'${subscriptionId}', '${ada.id}', '', '', '{turn.failed}', 'key', now()`,
  );
  await queryDatabase(
    service,
    `INSERT INTO push_notices (subscription_id, session_id, event, record_id, expires_at, attempts)
     VALUES ($1, 'ses_1', 'turn.failed', 'turn_1', now(), 1)`,
    [subscriptionId],
  );
}

/** Creates ended records of the other tables whose retention is a setting. */
async function createRowsWithSettings(service: Service): Promise<void> {
  const [session] = await queryDatabase<{ id: string; account_id: string }>(service, 'SELECT * FROM sessions LIMIT 1');
  const { id, account_id: accountId } = session!;
  await queryDatabase(service, 'ALTER TABLE invocations DROP CONSTRAINT invocations_machine_id_fkey');
  await queryDatabase(
    service,
    `INSERT INTO invocations (id, account_id, machine_id, device_id, revision, version, state, timed_out, stdout_bytes,
                              stderr_bytes, created_at, updated_at)
     VALUES ('inv_1', $1, 'mch_1', 'dev_1', 1, 1, 'completed', false, 0, 0, now(), now())`,
    [accountId],
  );
  await queryDatabase(
    service,
    `INSERT INTO queued_messages (id, account_id, session_id, position, state, size_bytes, expires_at, due_at,
                                  created_at, ended_at)
     VALUES ('qmsg_1', $1, $2, 1, 'expired', 0, now(), now(), now(), now())`,
    [accountId, id],
  );
  await queryDatabase(
    service,
    `INSERT INTO webhook_deliveries (id, webhook_id, event_id, type, payload, state, created_at)
     VALUES ($1, 'whk_1', 'evt_1', 'session.created', '{}', 'failed', now())`,
    [getLowestId('dlv', 0)],
  );
  await queryDatabase(
    service,
    `INSERT INTO webhook_backlog_batches (id, events, created_at) VALUES ($1, '[]', now())`,
    [getLowestId('evt', 0)],
  );
}
