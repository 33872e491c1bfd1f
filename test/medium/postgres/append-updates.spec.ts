import { DeviceSession } from '../../support/device/device-session';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { createDatabaseEnvironment, createTestDatabase, describeWithPostgres } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const APPEND_COUNT = 100;
const UPDATE_COUNTS = `
  SELECT n_tup_upd::integer AS updated, n_tup_hot_upd::integer AS "inPlace"
    FROM pg_stat_user_tables WHERE relname = 'sessions'`;

describeWithPostgres('a session that messages are appended to', () => {
  it('is updated in place, without an entry in its indexes', async () => {
    const testDatabase = await createTestDatabase();
    const service = await ServiceProcess.start(createDatabaseEnvironment(testDatabase.url));
    try {
      const session = await DeviceSession.createSession(await ForeignAccountDevice.signUp(service.http));
      for (let n = 0; n < APPEND_COUNT; n++) await session.appendMessages(`message-${n}`);
      const readCounts = async () => {
        const [row] = await testDatabase.query<{ updated: number; inPlace: number }>(UPDATE_COUNTS);
        return row!;
      };
      // Each server process reports its counts a second after its last statement.
      await waitFor(async () => expect((await readCounts()).updated).toBeGreaterThanOrEqual(APPEND_COUNT), 20_000);
      const { updated, inPlace } = await readCounts();
      expect(inPlace).toBeGreaterThan(0.9 * updated);
    } finally {
      await service.stop();
      await testDatabase.dropDatabase();
    }
  });
});
