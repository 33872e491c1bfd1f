import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { loadConfig } from '../../../src/core/config';
import { UnitOfWork } from '../../../src/core/database';
import { openDataSource } from '../../../src/core/database/data-source';
import { PreviousReleasePresenceRepository } from '../../../src/modules/device-gateway/presence/previous-release-presence.repository';
import { insertAccountsWithMachines } from '../../support/large-tables';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';

const READ_STATES = `
  SELECT d.id, d.online AS "deviceColumn", m.state AS "machineColumn", p.online AS "presence", p.epoch
    FROM devices d JOIN machines m ON m.device_id = d.id JOIN device_presence p ON p.device_id = d.id`;
const WAITING = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

describeWithPostgres('presence that is copied for the previous release', () => {
  let testDatabase: TestDatabase;
  let dataSource: DataSource;
  let previousRelease: Client;
  beforeEach(async () => {
    testDatabase = await createMigratedDatabase();
    dataSource = await openDataSource(loadConfig(testDatabase.env), []);
    previousRelease = new Client({ connectionString: testDatabase.url });
    await previousRelease.connect();
  });
  afterEach(async () => {
    await previousRelease.end();
    await dataSource.destroy();
    await testDatabase.dropDatabase();
  });

  /** The writes of the previous release, in their order. */
  async function writeAsPreviousRelease(deviceId: string, isOnline: boolean, epoch: number): Promise<void> {
    await previousRelease.query('UPDATE devices SET online = $2, presence_epoch = $3 WHERE id = $1', [
      deviceId,
      isOnline,
      epoch,
    ]);
    await previousRelease.query('UPDATE machines SET state = $2 WHERE device_id = $1', [
      deviceId,
      isOnline ? 'online' : 'offline',
    ]);
  }

  it.each([
    ['the end of the recorded connection', 2, false],
    ['a newer connection', 3, true],
  ])('is not overwritten with what it was before %s', async (_, epoch, isOnline) => {
    await insertAccountsWithMachines(testDatabase, 1);
    const unitOfWork = new UnitOfWork(dataSource);
    const repository = new PreviousReleasePresenceRepository(unitOfWork);
    const [{ id }] = (await testDatabase.query<{ id: string }>('SELECT id FROM devices')) as [{ id: string }];
    await writeAsPreviousRelease(id, !isOnline, 2);

    await previousRelease.query('BEGIN');
    await writeAsPreviousRelease(id, isOnline, epoch);
    const copying = unitOfWork.runInTransaction(() => repository.copyPresence(id));
    await waitFor(async () => expect(await testDatabase.query(WAITING)).toHaveLength(1));
    await previousRelease.query('COMMIT');
    await copying;

    const machineColumn = isOnline ? 'online' : 'offline';
    expect(await testDatabase.query(READ_STATES)).toEqual([
      { id, deviceColumn: isOnline, machineColumn, presence: isOnline, epoch: String(epoch) },
    ]);
  });
});
