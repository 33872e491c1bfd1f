import { Balancer } from './balancer';
import { NOWHERE } from './fleet';
import { Instance } from './instance';
import { Random } from './random';

function scene(slowStartMs = 0) {
  const instances = [0, 1, 2].map((index) => new Instance(index));
  const balancer = new Balancer(instances, new Random(1), { randomBalance: 0, slowStartMs });
  const send = (times: number, now = 0) => {
    for (let n = 0; n < times; n++) instances[balancer.choose(now)]!.connections += 1;
    return instances.map(({ connections }) => connections);
  };
  return { instances, balancer, send };
}

describe('Balancer', () => {
  it('fills the emptiest first', () => {
    const { instances, send } = scene();
    instances[1]!.connections = 10;
    expect(send(20)).toEqual([10, 10, 10]);
  });

  it('passes over who is down or drains', () => {
    const { instances, balancer, send } = scene();
    instances[0]!.end();
    balancer.hide(instances[2]!);
    expect(send(5)).toEqual([0, 5, 0]);
    balancer.hide(instances[1]!);
    expect(balancer.choose(0)).toBe(NOWHERE);
  });

  it('gives one that is back its share as its weight grows', () => {
    const { instances, send } = scene(60_000);
    instances[1]!.connections = instances[2]!.connections = 100;
    instances[0]!.start(0);
    const [back] = send(20, 6_000);
    // A tenth of what the others have: 100 and little more.
    expect(back).toBeGreaterThanOrEqual(10);
    expect(back).toBeLessThanOrEqual(12);
    expect(send(100, 60_000)[0]).toBeGreaterThanOrEqual(100);
  });
});
