import { Client } from 'pg';
import { DAY } from '../../../src/common/clock';
import { AttemptPartitions } from '../../../src/webhooks/deliveries/attempt-partitions';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';
import { Service } from '../../support/service';

const PARTITIONS = `SELECT inhrelid::regclass::text AS name FROM pg_inherits
  WHERE inhparent = 'webhook_attempts'::regclass ORDER BY 1`;

describePostgres('the delivery log while somebody reads all of it', () => {
  let database: Database;
  let service: Service;
  let dump: Client;
  beforeAll(async () => {
    database = await createDatabase();
    const backend = { env: database.env, dispose: () => database.drop() };
    service = await Service.start({}, backend);
    dump = new Client({ connectionString: database.url });
    await dump.connect();
  });
  afterAll(async () => {
    await dump?.end();
    await service?.stop();
  });

  const names = async () => (await database.query<{ name: string }>(PARTITIONS)).map(({ name }) => name);
  const partitions = () => service.app.get(AttemptPartitions, { strict: false });

  it('keeps its old days until that is over', async () => {
    const [oldest] = await names();
    service.advance(40 * DAY);
    await dump.query('BEGIN; LOCK TABLE webhook_attempts IN ACCESS SHARE MODE');
    await partitions().maintain();
    expect(await names()).toContain(oldest);
    await dump.query('COMMIT');
    await partitions().maintain();
    expect(await names()).not.toContain(oldest);
  });

  it('keeps no service from starting', async () => {
    for (const name of await names()) await database.query(`DROP TABLE ${name}`);
    await dump.query('BEGIN; LOCK TABLE webhook_attempts IN ACCESS EXCLUSIVE MODE');
    service = await service.restart();
    expect(service.logs.join('')).toContain('the delivery log was not prepared');
    await dump.query('COMMIT');
    await partitions().maintain();
    expect(await names()).toHaveLength(8);
  });
});
