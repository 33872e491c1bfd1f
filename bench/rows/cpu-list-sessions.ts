import { Pool } from 'pg';
import { insertManySessions } from '../../test/support/large-tables';
import { BenchCleanup, type BenchComparison, type BenchmarkRow, type Measurement } from '../benchmark-row';
import { measureBackendsUs, SERVICE_CONNECTIONS } from '../support/backend-cpu';
import { BenchFixture } from '../support/bench-fixture';
import { CallClient } from '../support/call-client';
import { findServiceMain } from '../support/service-checkout';

const SESSIONS = 1_000;
const CALLS = 2_000;
const WARM_UP_CALLS = 20_000;
const IN_FLIGHT = 16;
const PEER_CONNECTIONS = 'bench peer';

/** What a page of 50 needs: the columns that it shows, and a row more to know whether there is another page. */
const STATEMENT = {
  name: 'sessions',
  text: `SELECT id, tag, state, machine_id, message_count, last_seq, activity, agent, created_at, updated_at,
                last_active_at, ended_at
           FROM sessions WHERE account_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
};

export const cpuListSessionsRow: BenchmarkRow = {
  name: 'cpu-list-sessions',
  figure: 'CPU of PostgreSQL for GET /sessions?limit=50',
  against: 'its prepared statement alone',
  unit: 'µs',
  ratioGoal: { atMost: 1.5 },
  openComparison: () => openComparison(startStatement),
  openCheckoutComparison: (folder) => openComparison((benchCleanup) => startService(benchCleanup, folder)),
};

function openComparison(startPeer: (benchCleanup: BenchCleanup) => Promise<Measurement>): Promise<BenchComparison> {
  const benchCleanup = new BenchCleanup();
  return benchCleanup.runOrClose(async () => {
    const measured = await startService(benchCleanup);
    return { measured, peer: await startPeer(benchCleanup), close: benchCleanup.close };
  });
}

async function startService(benchCleanup: BenchCleanup, folder?: string): Promise<Measurement> {
  const benchFixture = await startFixture(benchCleanup, folder);
  const url = `${benchFixture.firstInstance.url}/external/v1/sessions?limit=50`;
  const callClient = new CallClient([{ method: 'GET', url, token: benchFixture.token }]);
  return warmUp(benchFixture, SERVICE_CONNECTIONS, (calls) => callClient.measureCalls(calls, IN_FLIGHT));
}

async function startStatement(benchCleanup: BenchCleanup): Promise<Measurement> {
  const benchFixture = await startFixture(benchCleanup);
  const pool = openPool(benchFixture);
  benchCleanup.add({ stop: () => pool.end() });
  return warmUp(benchFixture, PEER_CONNECTIONS, (calls) => executeRepeatedly(pool, benchFixture.ada.accountId, calls));
}

async function startFixture(benchCleanup: BenchCleanup, folder?: string): Promise<BenchFixture> {
  const main = findServiceMain(folder);
  const benchFixture = benchCleanup.add(await BenchFixture.start(1, {}, 'services', main));
  await insertManySessions(benchFixture, benchFixture.ada.accountId, SESSIONS);
  await benchFixture.query('ANALYZE');
  return benchFixture;
}

async function warmUp(
  benchFixture: BenchFixture,
  application: string,
  run: (calls: number) => Promise<unknown>,
): Promise<Measurement> {
  await run(WARM_UP_CALLS);
  return async () => (await measureBackendsUs(benchFixture, application, () => run(CALLS))) / CALLS;
}

/** Connections stay open, because a new backend has to plan and to fill its caches first. */
function openPool({ databaseUrl }: BenchFixture): Pool {
  return new Pool({
    connectionString: databaseUrl,
    application_name: PEER_CONNECTIONS,
    max: IN_FLIGHT,
    idleTimeoutMillis: 0,
  });
}

async function executeRepeatedly(pool: Pool, accountId: string, count: number): Promise<void> {
  let startedCount = 0;
  const worker = async () => {
    while (startedCount++ < count) await pool.query({ ...STATEMENT, values: [accountId, 51] });
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}
