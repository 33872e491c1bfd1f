import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { generateId } from '../../src/common/ids';
import { BenchCleanup, type BenchComparison, type BenchmarkRow, type Measurement } from '../benchmark-row';
import { measureBackendsUs, SERVICE_CONNECTIONS } from '../support/backend-cpu';
import { BenchFixture } from '../support/bench-fixture';
import { warmUpMeasurements } from '../support/read-measurement';
import { findServiceMain } from '../support/service-checkout';
import { createBenchWebhook, EndpointProcess, EVENT_PAYLOAD, LOOPBACK_DELIVERY_ENV } from '../support/webhook-endpoint';

const ENDPOINTS = 4;
const DELIVERIES = 10_000;
/** Maximum number of results that the service writes at once. */
const BATCH = 500;
const POLL_MS = 100;
/**
 * Commits each event in a transaction of its own, as most are: those of one transaction are next to each other in the
 * log, so that the search for each would read all of them.
 */
const CREATE_COMMIT_EVENTS = `CREATE PROCEDURE commit_events(account text, payload text, webhooks text[], ids text[])
  LANGUAGE plpgsql AS $$
  DECLARE event text;
  BEGIN
    FOREACH event IN ARRAY ids LOOP
      INSERT INTO event_log (id, account_id, type, payload, logged_at)
      VALUES (event, account, 'session.created', payload, now());
      INSERT INTO webhook_outbox_batches (id, account_id, event_ids, webhook_ids, created_at)
      VALUES (event, account, ARRAY[event], webhooks, now());
      COMMIT;
    END LOOP;
  END $$`;
const COMMIT_EVENTS = 'CALL commit_events($1, $2, $3, $4)';
/** For checkouts to compare with that have no batches. */
const INSERT_ROWS = `INSERT INTO webhook_outbox (id, account_id, type, payload, webhook_ids, created_at)
  SELECT id, $1, 'session.created', $2, $3, now() FROM unnest($4::text[]) id`;
const PEER_CONNECTION = 'bench peer';

export const cpuDeliveriesRow: BenchmarkRow = {
  name: 'cpu-deliveries',
  figure: 'CPU of PostgreSQL per webhook delivery',
  against: `one insert and one update under three indexes, ${BATCH} rows at once`,
  unit: 'µs',
  ratioGoal: { atMost: 1.5 },
  openComparison: () => openComparison(startStatements),
  openCheckoutComparison: (folder) => openComparison((benchCleanup) => startService(benchCleanup, folder)),
};

function openComparison(startPeer: (benchCleanup: BenchCleanup) => Promise<Measurement>): Promise<BenchComparison> {
  const benchCleanup = new BenchCleanup();
  return benchCleanup.runOrClose(async () => {
    const measured = await startService(benchCleanup);
    const peer = await startPeer(benchCleanup);
    await warmUpMeasurements(2, measured, peer);
    return { measured, peer, close: benchCleanup.close };
  });
}

async function startService(benchCleanup: BenchCleanup, folder?: string): Promise<Measurement> {
  const main = findServiceMain(folder);
  const benchFixture = benchCleanup.add(await BenchFixture.start(1, LOOPBACK_DELIVERY_ENV, 'services', main));
  const endpointProcess = benchCleanup.add(await EndpointProcess.start());
  const hasBatches = await createCommitEvents(benchFixture);
  const webhookIds: string[] = [];
  for (let n = 0; n < ENDPOINTS; n++) webhookIds.push(await createBenchWebhook(benchFixture, endpointProcess.url));
  const insert = hasBatches ? COMMIT_EVENTS : INSERT_ROWS;
  const deliver = () => deliverEvents(benchFixture, endpointProcess, webhookIds, insert);
  return async () => (await measureBackendsUs(benchFixture, SERVICE_CONNECTIONS, deliver)) / DELIVERIES;
}

async function startStatements(benchCleanup: BenchCleanup): Promise<Measurement> {
  const benchFixture = benchCleanup.add(await BenchFixture.start());
  const client = new Client({ connectionString: benchFixture.databaseUrl, application_name: PEER_CONNECTION });
  await client.connect();
  benchCleanup.add({ stop: () => client.end() });
  await createPeerTable(client);
  const write = () => writePeerRows(client);
  return async () => (await measureBackendsUs(benchFixture, PEER_CONNECTION, write)) / DELIVERIES;
}

/** Creates what commits events in batches. Returns false for a schema without them. */
async function createCommitEvents(benchFixture: BenchFixture): Promise<boolean> {
  const [schema] = await benchFixture.query<{ hasBatches: boolean }>(
    `SELECT to_regclass('webhook_outbox_batches') IS NOT NULL AS "hasBatches"`,
  );
  if (schema!.hasBatches) await benchFixture.query(CREATE_COMMIT_EVENTS);
  return schema!.hasBatches;
}

/** Commits events as the service would. It fans them out and delivers them, and this returns when all are recorded. */
async function deliverEvents(
  benchFixture: BenchFixture,
  endpointProcess: EndpointProcess,
  webhookIds: string[],
  insert: string,
): Promise<void> {
  const ids = Array.from({ length: DELIVERIES / ENDPOINTS }, () => generateId('evt'));
  await endpointProcess.measureDeliveries(DELIVERIES, () =>
    benchFixture.query(insert, [benchFixture.ada.accountId, EVENT_PAYLOAD, webhookIds, ids]),
  );
  while (await hasPendingDelivery(benchFixture)) await sleep(POLL_MS);
}

async function hasPendingDelivery(benchFixture: BenchFixture): Promise<boolean> {
  const [row] = await benchFixture.query<{ pending: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM webhook_deliveries WHERE state = 'pending') AS pending`,
  );
  return row!.pending;
}

/** Creates a table of deliveries with the indexes without which no worker finds them and no list shows them. */
async function createPeerTable(client: Client): Promise<void> {
  await client.query(
    `CREATE TABLE bench_deliveries (
       id text COLLATE "C" PRIMARY KEY, webhook_id text COLLATE "C" NOT NULL, event_id text COLLATE "C" NOT NULL,
       type text NOT NULL, payload text NOT NULL, state text NOT NULL DEFAULT 'pending',
       attempts integer NOT NULL DEFAULT 0, last_status integer, next_attempt_at timestamptz(3),
       created_at timestamptz(3) NOT NULL, finished_at timestamptz(3))`,
  );
  await client.query('CREATE INDEX ON bench_deliveries (webhook_id, created_at, id)');
  await client.query(`CREATE INDEX ON bench_deliveries (webhook_id, next_attempt_at, id) WHERE state = 'pending'`);
}

async function writePeerRows(client: Client): Promise<void> {
  const webhookIds = Array.from({ length: ENDPOINTS }, () => generateId('whk'));
  for (let written = 0; written < DELIVERIES; written += BATCH) {
    const ids = Array.from({ length: BATCH }, () => generateId('dlv'));
    await client.query({
      name: 'insert',
      text: `INSERT INTO bench_deliveries (id, webhook_id, event_id, type, payload, next_attempt_at, created_at)
             SELECT id, ($2::text[])[1 + n % ${ENDPOINTS}], id, 'session.created', $3, now(), now()
               FROM unnest($1::text[]) WITH ORDINALITY d (id, n)`,
      values: [ids, webhookIds, EVENT_PAYLOAD],
    });
    await client.query({
      name: 'update',
      text: `UPDATE bench_deliveries SET state = 'delivered', attempts = 1, last_status = 204, next_attempt_at = NULL,
                    finished_at = now()
              WHERE id = ANY($1)`,
      values: [ids],
    });
  }
}
