import { setTimeout as sleep } from 'node:timers/promises';
import type { Closing } from '../row';
import type { Call } from './caller';
import { Devices } from './devices';
import { insertSignedInMachines } from './machines';
import { Scene } from './scene';

/** Presence for routing is shared behind the connection. */
const SETTLE_MS = 500;

/**
 * Instances on one database and Redis, and calls that go from one of the first two to a device of the other. Further
 * instances stand by: were they called as well, each would be slow with code that it has run too seldom to compile.
 */
export interface Cluster {
  scene: Scene;
  calls: Call[];
}

export async function startCluster(closing: Closing, instances: number, machines: number): Promise<Cluster> {
  const scene = closing.add(await Scene.start(instances));
  const devices = closing.add(new Devices());
  const calls: Call[] = [];
  for (const [i, { machineId, token }] of (await insertSignedInMachines(scene, machines)).entries()) {
    const owner = scene.instances[(i + 1) % 2]!;
    await devices.connect(owner.url, [token]);
    calls.push({ url: scene.instances[i % 2]!.url, machineId });
  }
  await sleep(SETTLE_MS);
  return { scene, calls };
}
