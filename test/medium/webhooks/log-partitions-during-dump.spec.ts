import { Client } from 'pg';
import { DAY } from '../../../src/common/clock';
import { AttemptPartitionService } from '../../../src/modules/webhooks/deliveries/attempt-partition.service';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { Service } from '../../support/service';

const PARTITIONS = `SELECT inhrelid::regclass::text AS name FROM pg_inherits
  WHERE inhparent = 'webhook_attempts'::regclass ORDER BY 1`;

describeWithPostgres('the delivery log during a dump', () => {
  let testDatabase: TestDatabase;
  let service: Service;
  let dump: Client;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    const backend = { env: testDatabase.env, dispose: () => testDatabase.dropDatabase() };
    service = await Service.start({}, backend);
    dump = new Client({ connectionString: testDatabase.url });
    await dump.connect();
  });
  afterAll(async () => {
    await dump?.end();
    await service?.stop();
  });

  const names = async () => (await testDatabase.query<{ name: string }>(PARTITIONS)).map(({ name }) => name);
  const partitions = () => service.app.get(AttemptPartitionService, { strict: false });

  it('keeps expired partitions until the dump is complete', async () => {
    const [oldest] = await names();
    service.advanceClock(40 * DAY);
    await dump.query('BEGIN; LOCK TABLE webhook_attempts IN ACCESS SHARE MODE');
    await partitions().maintainPartitions();
    expect(await names()).toContain(oldest);
    await dump.query('COMMIT');
    await partitions().maintainPartitions();
    expect(await names()).not.toContain(oldest);
  });

  it('doesn’t prevent the service from starting', async () => {
    for (const name of await names()) await testDatabase.query(`DROP TABLE ${name}`);
    await dump.query('BEGIN; LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE');
    service = await service.restart();
    expect(service.logs.join('')).toContain('webhook attempt partition creation failed');
    await dump.query('COMMIT');
    await partitions().maintainPartitions();
    expect(await names()).toHaveLength(8);
  });
});
