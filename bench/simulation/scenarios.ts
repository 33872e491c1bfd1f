import type { Constants } from './constants';
import { costsOf } from './costs';
import { optionsOf, type Options } from './options';
import { nothing, type Recorder, type Second } from './recorder';
import { reconnectStorm } from './reconnect-storm';
import { rollingDeploy } from './rolling-deploy';

/** What a run came to, as docs/figures/simulation.json keeps it. */
export interface Outcome {
  name: string;
  label: string;
  options: Partial<Options>;
  figures: Record<string, number | null>;
  /** By the second, where it is drawn. */
  seconds?: Record<string, number[]>;
}

interface Scenario {
  name: string;
  label: string;
  kind: 'storm' | 'deploy';
  options: Partial<Options>;
  drawn?: (keyof Second)[];
}

/** The service as it was before it was bounded. */
const UNBOUNDED = { gate: 0, presenceAtOnce: 0, presenceRetryMs: 0 };
const DRAWN: (keyof Second)[] = ['online', 'attempts', 'hellos', 'poolWaitMs', 'statements'];

/** Those of docs/scaling.md. */
export const SCENARIOS: Scenario[] = [
  { name: 'storm-1', label: '1 instance is killed', kind: 'storm', options: { lost: 1 } },
  { name: 'storm-10', label: '10 instances are killed', kind: 'storm', options: { lost: 10 } },
  { name: 'storm-10-silent', label: '10 vanish silently', kind: 'storm', options: { lost: 10, silent: 1 } },
  { name: 'storm-50', label: '50 instances are killed', kind: 'storm', options: { lost: 50 } },
  { name: 'storm-all', label: 'every socket is cut', kind: 'storm', options: { lost: 100 }, drawn: DRAWN },
  {
    name: 'storm-all-unbounded',
    label: 'the same, no bounds on the pool',
    kind: 'storm',
    options: { lost: 100, ...UNBOUNDED },
    drawn: DRAWN,
  },
  {
    name: 'storm-all-32',
    label: 'the same, PostgreSQL of 32 cores',
    kind: 'storm',
    options: { lost: 100, postgresCores: 32 },
  },
  {
    name: 'storm-all-spread',
    label: 'the same, first waits spread over 30 s',
    kind: 'storm',
    options: { lost: 100, spreadFirstMs: 30_000 },
  },
  {
    name: 'storm-all-backlog',
    label: 'the same, 4,096 may wait to be accepted',
    kind: 'storm',
    options: { lost: 100, backlog: 4_096 },
  },
  {
    name: 'storm-all-backlog-spread',
    label: 'both',
    kind: 'storm',
    options: { lost: 100, backlog: 4_096, spreadFirstMs: 30_000 },
  },
  { name: 'deploy-1', label: '1 at a time', kind: 'deploy', options: { batch: 1, maxSeconds: 4_000 } },
  { name: 'deploy-5', label: '5 at a time', kind: 'deploy', options: { batch: 5 } },
  {
    name: 'deploy-10',
    label: '10 at a time',
    kind: 'deploy',
    options: { batch: 10 },
    drawn: ['busiest', 'helloMs'],
  },
  {
    name: 'deploy-1-at-once',
    label: '1 at a time, no slow start',
    kind: 'deploy',
    options: { batch: 1, slowStartMs: 0, maxSeconds: 4_000 },
  },
  {
    name: 'deploy-10-at-once',
    label: '10 at a time, no slow start',
    kind: 'deploy',
    options: { batch: 10, slowStartMs: 0 },
    drawn: ['busiest', 'helloMs'],
  },
  {
    name: 'deploy-10-busy',
    label: '10 at a time, half of each core busy',
    kind: 'deploy',
    options: { batch: 10, load: 0.5 },
  },
  {
    name: 'deploy-10-busy-at-once',
    label: 'the same, no slow start',
    kind: 'deploy',
    options: { batch: 10, load: 0.5, slowStartMs: 0 },
  },
];

export function run({ name, label, kind, options: given, drawn }: Scenario, constants: Constants): Outcome {
  const options = optionsOf(given);
  const costs = costsOf(constants, options);
  const { recorder, figures } =
    kind === 'storm' ? stormFigures(reconnectStorm(options, costs)) : deployFigures(rollingDeploy(options, costs));
  return {
    name,
    label,
    options: given,
    figures: { ...figures, ...common(recorder) },
    ...(drawn && { seconds: seriesOf(recorder, drawn) }),
  };
}

function stormFigures({ lost, backAfter, recorder }: ReturnType<typeof reconnectStorm>) {
  return { recorder, figures: { lost, ...backAfter } };
}

function deployFigures({ recorder, ...figures }: ReturnType<typeof rollingDeploy>) {
  return { recorder, figures };
}

function common(recorder: Recorder): Record<string, number> {
  return {
    attempts: recorder.sum('attempts'),
    timeouts: recorder.sum('timeouts'),
    refused: recorder.sum('refused'),
    turnedAway: recorder.sum('turnedAway'),
    busiest: recorder.peak('busiest'),
    hellosPeak: recorder.peak('hellos'),
    statementsPeak: recorder.peak('statements'),
    redisPeak: recorder.peak('redisCommands'),
    poolWaitMs: recorder.peak('poolWaitMs'),
    helloMs: recorder.peak('helloMs'),
    unwritten: recorder.unwritten,
    offlineDeviceSeconds: Math.round(recorder.offlineMs / 1_000),
  };
}

function seriesOf({ seconds }: Recorder, drawn: (keyof Second)[]): Record<string, number[]> {
  const kept = Object.keys(nothing()).filter((key) => drawn.includes(key as keyof Second));
  return Object.fromEntries(kept.map((key) => [key, seconds.map((second) => second[key as keyof Second])]));
}
