import type { Costs } from './costs';
import { CONNECTING, NOWHERE, RESTING } from './fleet';
import { optionsOf } from './options';
import { reconnectStorm } from './reconnect-storm';
import { rollingDeploy } from './rolling-deploy';
import { World } from './world';

/** In µs; nothing takes time but what a case is about. */
const FREE: Costs = { accept: 0, finish: 0, disconnect: 0, lookUps: 0, presence: 0, command: 0 };
const SMALL = { devices: 1_000, instances: 10, load: 0, tickMs: 1 };

describe('a storm', () => {
  it('takes as long as the first wait where nothing takes time', () => {
    const { lost, backAfter } = reconnectStorm(optionsOf({ ...SMALL, lost: 1 }), FREE);
    expect(lost).toBe(100);
    // Between half of 500 ms and all of it, evenly.
    expect(backAfter.p50).toBeCloseTo(0.375, 1);
    expect(backAfter.p999).toBeGreaterThan(0.45);
    expect(backAfter.p999).toBeLessThanOrEqual(0.505);
  });

  it('takes as long as the work of the one instance that is left', () => {
    const costs = { ...FREE, accept: 5_000, finish: 5_000 };
    const given = { ...SMALL, instances: 2, lost: 1, gate: 0, backlog: 1e6, restartMs: 1e6 };
    const { lost, backAfter } = reconnectStorm(optionsOf(given), costs);
    expect(lost).toBe(500);
    expect(backAfter.p999).toBeGreaterThan(500 * 0.01 + 0.2);
    expect(backAfter.p999).toBeLessThan(500 * 0.01 + 0.6);
  });

  it("takes as long as PostgreSQL's work, whatever the number of its clients", () => {
    const costs = { ...FREE, lookUps: 10_000 };
    const given = { ...SMALL, lost: 10, postgresCores: 2, helloWithinMs: 30_000, poolWaitMs: 60_000 };
    const { backAfter, recorder } = reconnectStorm(optionsOf(given), costs);
    expect(backAfter.p999).toBeGreaterThan((1_000 * 0.01) / 2);
    expect(backAfter.p999).toBeLessThan((1_000 * 0.01) / 2 + 0.6);
    expect(recorder.sum('timeouts')).toBe(0);
  });

  it('is found by pings where nothing else tells of it', () => {
    const { backAfter } = reconnectStorm(optionsOf({ ...SMALL, lost: 1, silent: 1 }), FREE);
    expect(backAfter.p50).toBeGreaterThan(14);
    expect(backAfter.p999).toBeGreaterThan(19);
    expect(backAfter.p999).toBeLessThanOrEqual(20.51);
  });

  it('makes devices wait longer and longer where handshakes come to nothing', () => {
    const given = { ...SMALL, instances: 2, lost: 1, gate: 1, gateQueue: 0, postgresCores: 1 };
    const { lost, recorder, backAfter } = reconnectStorm(optionsOf(given), { ...FREE, lookUps: 20_000 });
    expect(recorder.sum('refused')).toBeGreaterThan(lost);
    expect(backAfter.p999).not.toBeNull();
  });

  it('is the same again with the same seed, and another with another', () => {
    const storm = (seed: number) => {
      const { backAfter, recorder } = reconnectStorm(optionsOf({ ...SMALL, lost: 3, seed }), {
        ...FREE,
        accept: 1_500,
      });
      return JSON.stringify([backAfter, recorder.seconds]);
    };
    expect(storm(7)).toBe(storm(7));
    expect(storm(7)).not.toBe(storm(8));
  });
});

describe('at every moment', () => {
  it('each device is somewhere, and connections are counted where they are', () => {
    const costs = { accept: 4_000, finish: 4_000, disconnect: 500, lookUps: 900, presence: 900, command: 9 };
    const given = {
      ...SMALL,
      devices: 4_000,
      postgresCores: 1,
      helloWithinMs: 3_000,
      gateQueue: 50,
      backlog: 60,
    };
    const world = new World(optionsOf(given), costs);
    const { fleet } = world.clients;
    for (let n = 0; n < 60_000 && !(n > 2_000 && n % 1_000 === 0 && world.isAtRest); n++) {
      if (n === 100) world.cut(world.instances[0]!, () => 0);
      if (n === 200) for (const instance of world.instances.slice(1, 5)) world.kill(instance, () => 0);
      if (n === 1_500) for (const instance of world.instances.slice(1, 5)) instance.start(world.now);
      world.step();
      if (n % 250 === 0) expectConserved(world);
    }
    expect(world.isAtRest).toBe(true);
    expect(fleet.online).toBe(4_000);
    expect(fleet.phase.every((phase) => phase === RESTING)).toBe(true);
    expectConserved(world);
  });
});

/** A balancer counts connections, and attempts that are on their way. */
function expectConserved({ clients: { fleet }, instances }: World): void {
  const counted = new Map(instances.map(({ index }) => [index, 0]));
  let online = 0;
  for (let device = 0; device < fleet.size; device++) {
    const home = fleet.home[device]!;
    const target = fleet.phase[device] === CONNECTING ? fleet.target[device]! : NOWHERE;
    if (home !== NOWHERE) online += 1;
    for (const at of [home, target]) if (at !== NOWHERE) counted.set(at, counted.get(at)! + 1);
  }
  expect(fleet.online).toBe(online);
  const up = instances.filter(({ isUp }) => isUp);
  expect(up.map(({ connections }) => connections)).toEqual(up.map(({ index }) => counted.get(index)));
}

describe('a rolling deploy', () => {
  const options = { ...SMALL, maxSeconds: 1_000, bootMs: 1_000 };

  it('moves every device, and cuts none off, where there is room', () => {
    const deploy = rollingDeploy(optionsOf(options), FREE);
    expect(deploy).toMatchObject({ cut: 0, offlineSeconds: 0 });
    expect(deploy.connectsPerDevice).toBeGreaterThanOrEqual(1);
    // A hundred devices leave in a second; each instance drains for five and its successor starts for one.
    expect(deploy.seconds).toBeGreaterThanOrEqual(10 * 6);
    expect(deploy.seconds).toBeLessThan(10 * 6.5);
  });

  it('is quicker in batches', () => {
    const deploy = rollingDeploy(optionsOf({ ...options, batch: 5 }), FREE);
    expect(deploy.seconds).toBeLessThan(14);
    expect(deploy.cut).toBe(0);
  });

  it('cuts devices off where the others cannot take them in time', () => {
    const deploy = rollingDeploy(optionsOf({ ...options, slowStartMs: 0 }), { ...FREE, accept: 150_000 });
    expect(deploy.cut).toBeGreaterThan(0);
    expect(deploy.offlineSeconds).toBeGreaterThan(0);
  });
});
