import type { BenchCleanup } from '../benchmark-row';
import { BenchFixture } from './bench-fixture';
import { findServiceMain } from './service-checkout';
import type { MeasuredParts } from './call-cpu';
import { startDedicatedBackend, type DedicatedBackend } from './dedicated-backend';
import { listProcessTree } from './process-cpu';

/** Instances of the service with PostgreSQL and Redis of their own. */
export interface DedicatedFixture {
  benchFixture: BenchFixture;
  backend: DedicatedBackend;
  measuredParts: MeasuredParts;
}

/** @param folder built checkout of the service; the default is this one */
export async function startDedicatedFixture(
  benchCleanup: BenchCleanup,
  instances = 1,
  folder?: string,
): Promise<DedicatedFixture> {
  const main = findServiceMain(folder);
  const backend = await startDedicatedBackend([]);
  const benchFixture = benchCleanup.add(await BenchFixture.start(instances, {}, backend, main));
  const measuredParts = {
    service: () => benchFixture.instances.map(({ benchProcess }) => benchProcess.pid),
    ...listBackendParts(backend),
  };
  return { benchFixture, backend, measuredParts };
}

export function listBackendParts({ redis, postgres }: DedicatedBackend) {
  const postgresPid = postgres.readMainPid();
  return { Redis: () => [redis.pid], PostgreSQL: () => listProcessTree(postgresPid) };
}
