import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { DeviceSocket } from '../support/device/device-socket';
import { SessionBodyBuilder } from '../support/device/session-body-builder';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';
import { waitFor } from '../support/wait-for';

const MIB = 1_048_576;
const QUOTA = 8 * MIB;
const AT_ONCE = 8;
/** Tolerance for indexes, page headers and two concurrent writers. */
const GROWTH = 1.5;

describeWithPostgres('an account that writes until it is rejected', () => {
  let testDatabase: TestDatabase;
  let service: ServiceProcess;
  let mallory: ForeignAccountDevice;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    service = await ServiceProcess.start({
      ...testDatabase.env,
      RATE_LIMIT_RELAY: '100000',
      LOG_LEVEL: 'warn',
    });
    mallory = await ForeignAccountDevice.signUp(service.http);
    await testDatabase.query('UPDATE accounts SET limits = $2 WHERE id = $1', [
      mallory.accountId,
      JSON.stringify({ maxStorageBytes: QUOTA, maxKeptAnswerBytes: QUOTA }),
    ]);
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await testDatabase?.dropDatabase();
  });

  /** Returns the bytes on disk of a table with its indexes and large values. */
  const sizeOf = async (table: string) => {
    const [row] = await testDatabase.query<{ size: string }>('SELECT pg_total_relation_size($1) AS size', [table]);
    return Number(row!.size);
  };

  /** Repeats concurrent writes, at most this many times. Returns the number of responses by status. */
  async function flood(times: number, write: (n: number) => Promise<{ status: number }>) {
    const counts: Record<number, number> = {};
    let next = 0;
    const writers = Array.from({ length: AT_ONCE }, async () => {
      while (next < times) {
        const { status } = await write(next++);
        counts[status] = (counts[status] ?? 0) + 1;
      }
    });
    await Promise.all(writers);
    return counts;
  }

  it.each([
    ['metadata of 60 KB each', 60_000, 250],
    ['no metadata', 0, 200],
  ])('fills its quota with sessions of %s, and no more of the disk', async (_, metadata, times) => {
    await testDatabase.query('DELETE FROM sessions');
    await testDatabase.query('VACUUM FULL sessions');
    const quota = metadata > 0 ? QUOTA : 200_000;
    await testDatabase.query(
      `UPDATE accounts SET storage_bytes = 0, limits = limits || jsonb_build_object('maxStorageBytes', $1::int)`,
      [quota],
    );
    const before = await sizeOf('sessions');
    const counts = await flood(times, () => {
      const body = new SessionBodyBuilder(mallory);
      return service.http.post(
        '/v1/sessions',
        mallory.token,
        metadata > 0 ? body.buildCreateBodyOfSize(metadata) : body.buildCreateBody(),
      );
    });
    expect(Object.keys(counts)).toEqual(['201', '403']);
    // PostgreSQL extends a table by 20 pages for each backend that waits for a page, which the next rows fill. VACUUM
    // leaves earlier versions of rows as long as a transaction of the service may still read them.
    await waitFor(async () => {
      await testDatabase.query('VACUUM FULL sessions');
      expect(await sizeOf('sessions')).toBeLessThan(before + quota * GROWTH + 32 * 1_024);
    });
    const [row] = await testDatabase.query<{ used: string }>('SELECT storage_bytes AS used FROM accounts');
    expect(Number(row!.used)).toBeLessThanOrEqual(quota);
    expect(Number(row!.used)).toBeGreaterThan(quota - 80_000);
  });

  it('stores responses up to its limit, and nothing runs twice', async () => {
    const machine = await mallory.pairDevice('machine');
    const { data } = expectStatus(
      await service.http.post('/v1/machines', machine.token, { name: 'box', platform: 'linux' }),
      201,
    );
    const socket = await DeviceSocket.connect(service.http.url, machine.token, ['machine.invoke']);
    socket.setHandler(() => ({ ok: true, result: { stdout: 'x'.repeat(MIB) } }));
    const { token } = await mallory.createToken(['machines:invoke']);
    const invoke = (key: number) =>
      service.http.post(
        `/external/v1/machines/${data.id}/invoke`,
        token,
        { command: 'x' },
        {
          headers: { 'Idempotency-Key': `key-${key}` },
        },
      );
    const before = await sizeOf('idempotency_keys');
    expect(await flood(32, invoke)).toEqual({ 200: 32 });
    expect(await sizeOf('idempotency_keys')).toBeLessThan(before + QUOTA * GROWTH);
    expect(await flood(32, invoke)).toEqual({ 200: 7, 409: 25 });
    expect(socket.requests).toHaveLength(32);
    socket.close();
  });
});
