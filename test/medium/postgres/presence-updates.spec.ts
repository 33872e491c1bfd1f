import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { createDatabaseEnvironment, createTestDatabase, describeWithPostgres } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const RECONNECT_COUNT = 60;

interface UpdateCounts {
  table: string;
  updated: number;
  inPlace: number;
}

const UPDATE_COUNTS = `
  SELECT relname AS "table", n_tup_upd::integer AS updated, n_tup_hot_upd::integer AS "inPlace"
    FROM pg_stat_user_tables WHERE relname IN ('devices', 'device_presence', 'machines')`;

describeWithPostgres('a machine that goes offline and online again', () => {
  it('changes its presence in place, and neither its device nor its machine', async () => {
    const testDatabase = await createTestDatabase();
    const service = await ServiceProcess.start(createDatabaseEnvironment(testDatabase.url));
    try {
      const ada = await ForeignAccountDevice.signUp(service.http);
      const machine = await ada.pairDevice('machine');
      expectStatus(await service.http.post('/v1/machines', machine.token, { name: 'box', platform: 'linux' }), 201);
      const readCounts = async () => {
        const rows = await testDatabase.query<UpdateCounts>(UPDATE_COUNTS);
        return Object.fromEntries(rows.map((row) => [row.table, row]));
      };
      const isOnline = async () => {
        const [row] = await testDatabase.query<{ online: boolean }>(
          'SELECT online FROM device_presence WHERE device_id = $1',
          [machine.id],
        );
        return row?.online;
      };
      for (let count = 0; count < RECONNECT_COUNT; count++) {
        const socket = await DeviceSocket.connect(`http://127.0.0.1:${service.port}`, machine.token, [
          'machine.invoke',
        ]);
        await waitFor(async () => expect(await isOnline()).toBe(true));
        socket.close();
        await waitFor(async () => expect(await isOnline()).toBe(false));
      }
      // Each server process reports its counts a second after its last statement.
      await waitFor(async () => {
        const { device_presence: presence } = await readCounts();
        expect(presence!.updated).toBeGreaterThanOrEqual(2 * RECONNECT_COUNT - 1);
      }, 20_000);
      const { devices, device_presence: presence, machines } = await readCounts();
      // A full page is cleaned up first, which a snapshot of this test's own queries may prevent.
      expect(presence!.inPlace).toBeGreaterThan(0.9 * presence!.updated);
      expect(machines!.updated).toBe(0);
      // Sign-in and the first call of a minute.
      expect(devices!.updated).toBeLessThan(10);
    } finally {
      await service.stop();
      await testDatabase.dropDatabase();
    }
  });
});
