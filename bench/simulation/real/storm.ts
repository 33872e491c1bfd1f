import { setTimeout as sleep } from 'node:timers/promises';
import { LoadBalancer } from '../../../test/multi-instance/support/load-balancer';
import { Closing } from '../../row';
import { Child } from '../../support/child';
import { Scene } from '../../support/scene';
import { insertAccounts } from './accounts';
import type { FleetReport } from './fleet-process';

const FLEET = 'bench/simulation/real/fleet-process.ts';
/** Presence is written behind the connections. */
const SETTLE_MS = 8_000;
const PATIENCE_MS = 60_000;

/** What became of real devices when their instance was killed. Seconds. */
export interface RealStorm {
  devices: number;
  instances: number;
  lost: number;
  refusals: number;
  after: { p50: number; p99: number; p999: number };
}

/** Instances of the build behind HAProxy on PostgreSQL and Redis, and devices in a process of their own. */
export async function realStorm(devices: number, instances: number): Promise<RealStorm> {
  const closing = new Closing();
  return closing
    .guard(async () => {
      const scene = closing.add(await Scene.start(instances, { LOG_LEVEL: 'warn' }));
      const ports = scene.instances.map(({ url }) => Number(new URL(url).port));
      const balancer = closing.add(await LoadBalancer.start(await LoadBalancer.newPort(), ports));
      const fleet = closing.add(Child.start(FLEET));
      const tokens = await insertAccounts(scene, devices);
      await fleet.ask({ start: { url: balancer.url, tokens } }, 'started');
      await sleep(SETTLE_MS);
      await scene.first.stop();
      const killedAt = Date.now();
      const { lostAt, backAt, refusals } = await everybodyBack(fleet);
      const after = (part: number) => (backAt[Math.ceil(lostAt.length * part) - 1]! - killedAt) / 1_000;
      return {
        devices,
        instances,
        lost: lostAt.length,
        refusals,
        after: { p50: after(0.5), p99: after(0.99), p999: after(0.999) },
      };
    })
    .finally(closing.close);
}

async function everybodyBack(fleet: Child): Promise<FleetReport> {
  for (const giveUpAt = Date.now() + PATIENCE_MS; Date.now() < giveUpAt; await sleep(1_000)) {
    const report = await fleet.ask<FleetReport>({ report: true }, 'report');
    if (report.lostAt.length > 0 && report.backAt.length >= report.lostAt.length) {
      return { ...report, backAt: report.backAt.sort((a, b) => a - b) };
    }
  }
  throw new Error('the devices did not come back');
}
