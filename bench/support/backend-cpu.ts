import type { BenchFixture } from './bench-fixture';
import { computeCpuUs, readThreadTimes } from './process-cpu';

/** Connections of the service's pool. */
export const SERVICE_CONNECTIONS = 'external-api';

/**
 * Runs something and returns the CPU time in µs that the backends of an application spend meanwhile.
 * @param applicationName `application_name` of the connections, which must stay open
 */
export async function measureBackendsUs(
  benchFixture: BenchFixture,
  applicationName: string,
  run: () => Promise<unknown>,
): Promise<number> {
  const readCpu = async () => {
    const rows = await benchFixture.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
      [applicationName],
    );
    return readThreadTimes(rows.map(({ pid }) => pid));
  };
  const before = await readCpu();
  await run();
  return computeCpuUs(before, await readCpu());
}
