import { cpus } from 'node:os';
import type { Constants } from '../constants';
import { costsOf } from '../costs';
import { number, table } from '../markdown';
import { optionsOf } from '../options';
import { reconnectStorm, type Storm } from '../reconnect-storm';
import { realStorm, type RealStorm } from './storm';

/** docs/figures/real-storm.json: the same storm, once real and once simulated. */
export interface Comparison {
  cores: number;
  real: RealStorm[];
  simulated: Storm['backAfter'];
}

const ROUNDS = 3;

/** An instance is killed. What is real shares its cores with its devices; the simulation is told that nothing else runs. */
export async function comparison(devices: number, instances: number, constants: Constants): Promise<Comparison> {
  const real: RealStorm[] = [];
  for (let round = 0; round < ROUNDS; round++) real.push(await realStorm(devices, instances));
  return { cores: cpus().length, real, simulated: simulated(devices, instances, constants) };
}

/** The same, simulated. */
export function simulated(devices: number, instances: number, constants: Constants): Storm['backAfter'] {
  const options = optionsOf({ devices, instances, lost: 1, load: 0, postgresCores: 1, restartMs: 600_000 });
  return reconnectStorm(options, costsOf(constants, options)).backAfter;
}

export function comparisonTable({ real, simulated: expected }: Comparison): string {
  const row = (name: string, after: Storm['backAfter'], refusals: string) => [
    name,
    ...[after.p50, after.p99, after.p999].map((value) => (value === null ? 'never' : `${number(value)} s`)),
    refusals,
  ];
  return table(
    ['', { right: '50 % back' }, { right: '99 %' }, { right: '99.9 %' }, { right: 'attempts that failed' }],
    [
      ...real.map(({ after, refusals }, i) => row(`real devices, round ${i + 1}`, after, number(refusals))),
      row('simulation', expected, '0'),
    ],
  );
}
