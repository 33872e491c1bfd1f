import { Clock, DAY } from '../../../src/common/clock';
import { EventLogPartitionService } from '../../../src/core/events/event-log-partition.service';
import { queryDatabase } from '../../support/database';
import { RelayFixture } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

const PARTITIONS = `SELECT inhrelid::regclass::text AS name FROM pg_inherits
  WHERE inhparent = 'event_log'::regclass ORDER BY 1`;

describe('the partitions of the event log', () => {
  let fixture: RelayFixture;
  let startedAt: number;
  beforeAll(async () => {
    startedAt = Date.now();
    fixture = await RelayFixture.start();
  });
  afterAll(() => fixture?.stop());

  const listNames = async () =>
    (await queryDatabase<{ name: string }>(fixture.service, PARTITIONS)).map(({ name }) => name);
  const nameOf = (ms: number) => `event_log_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const weekFrom = (day: number) => Array.from({ length: 8 }, (_, n) => nameOf(day + n * DAY));
  const maintain = () => fixture.service.app.get(EventLogPartitionService, { strict: false }).maintainPartitions();
  const countDefaultRows = async () =>
    (await queryDatabase<{ count: number }>(fixture.service, 'SELECT count(*)::int FROM event_log_default'))[0]!.count;

  it('are created a week ahead at start, and get the events', async () => {
    const withDefault = (day: number) => [...weekFrom(day), 'event_log_default'];
    // The service may have started before midnight, and this line runs after it.
    expect([withDefault(startedAt), withDefault(Date.now())]).toContainEqual(await listNames());
    const { id } = await fixture.ada.createSession(fixture.ada);
    await waitFor(async () => {
      const rows = await queryDatabase(fixture.service, 'SELECT 1 FROM event_log WHERE session_id = $1', [id]);
      expect(rows).toHaveLength(1);
    });
    expect(await countDefaultRows()).toBe(0);
  });

  it('are created for all other days if events of one day are in the default partition', async () => {
    // At noon of a later day, no day ends during the test.
    fixture.service.advanceClock(20.5 * DAY - (Date.now() % DAY));
    const today = fixture.service.app.get(Clock).now();
    await queryDatabase(
      fixture.service,
      `INSERT INTO event_log (id, account_id, type, payload, logged_at) VALUES ('evt_1', 'acc_1', 'x', '{}', $1)`,
      [new Date(today)],
    );
    await expect(maintain()).rejects.toThrow('event_log_default');
    const names = await listNames();
    expect(names).not.toContain(nameOf(today));
    for (const name of weekFrom(today).slice(1)) expect(names).toContain(name);
  });
});
