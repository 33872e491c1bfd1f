import { runAdminProgram, runAdminJson } from '../../support/admin-cli';
import { leaseRedis } from '../../support/backend';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { insertAccountsWithMachines } from '../../support/large-tables';
import { createTestDatabase, type TestDatabase } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { describeWithSmallDisks, SmallDisk } from '../../support/small-disk';
import { TemporaryPostgres } from '../../support/temporary-postgres';
import { waitFor } from '../../support/wait-for';

const MIGRATION = 'IndexForeignKeys1795460010000';
const INDEX = 'sessions_machine_fk_idx';
/** Their index needs more space than `FREE_BYTES`. */
const SESSION_COUNT = 20_000;
const FREE_BYTES = 256 * 1024;

describeWithSmallDisks('pg_ctl', 'Redis')('a migration that finds no space for an index', () => {
  let data: SmallDisk;
  let wal: SmallDisk;
  let postgres: TemporaryPostgres;
  let testDatabase: TestDatabase;
  let redis: Awaited<ReturnType<typeof leaseRedis>>;
  /** Environment of two instances of one service. */
  let env: NodeJS.ProcessEnv;
  /** Serves the schema without the index, as an instance of the previous release does. */
  let previous: ServiceProcess;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    // PostgreSQL stops without space for its log, which is therefore on a disk that doesn't fill.
    [data, wal] = [SmallDisk.createDisk(224), SmallDisk.createDisk(512)];
    postgres = await TemporaryPostgres.createCluster({ on: data.dir, wal: wal.dir });
    testDatabase = await createTestDatabase(postgres.url);
    redis = await leaseRedis();
    env = { ...testDatabase.env, REDIS_URL: redis.url };
    previous = await ServiceProcess.start(env);
    ada = await ForeignAccountDevice.signUp(previous.http);
    await insertAccountsWithMachines(testDatabase, SESSION_COUNT);
    await testDatabase.query(
      `INSERT INTO sessions (id, account_id, machine_id, tag, data_key_id, sealed_data_key, created_at, updated_at,
                             last_active_at)
       SELECT 'ses_' || substr(id, 5), account_id, id, 'tag', 'k', 's', now(), now(), now() FROM machines`,
    );
    await testDatabase.query(`DROP INDEX ${INDEX}`);
    await testDatabase.query('DELETE FROM migrations WHERE name = $1', [MIGRATION]);
    data.fillDisk(FREE_BYTES);
  }, 120_000);
  afterAll(async () => {
    await previous?.stop('SIGKILL');
    await redis?.release();
    await postgres?.removeCluster();
    for (const disk of [data, wal]) disk?.removeDisk();
  });

  const readIndexState = () =>
    testDatabase.query(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${INDEX}')`);
  const readDevices = () => previous.http.get('/v1/devices', ada.token);

  it('fails with its name, the cause and the exit status 1, and is not recorded', async () => {
    const message = new RegExp(`The migration ${MIGRATION} failed: could not extend file .* SQLSTATE 53100\\)`);
    const admin = await runAdminProgram(testDatabase.env, 'migrate');
    expect(admin).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
    expect(await readIndexState()).toEqual([{ valid: false }]);
    // A repeated attempt drops the invalid index first.
    const started = await ServiceProcess.runUntilExit(env);
    expect({ ...started, stdout: '' }).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    expect(started.stderr.trim().split('\n')).toHaveLength(1);
    expect(await readIndexState()).toEqual([{ valid: false }]);
    expect(await runAdminJson(testDatabase.env, 'migrate', '--status')).toMatchObject({ pending: [MIGRATION] });
  });

  it('leaves the database usable by running instances, and succeeds when there is space', async () => {
    expectStatus(await readDevices(), 200);
    data.freeSpace();
    await waitFor(() => ada.createToken(['sessions:read']), 10_000);
    expect(await runAdminJson(testDatabase.env, 'migrate')).toEqual({ applied: [MIGRATION] });
    expect(await readIndexState()).toEqual([{ valid: true }]);
    expectStatus(await readDevices(), 200);
  });
});
