import { chart } from './chart';
import type { Constants } from './constants';
import { number, table } from './markdown';
import { comparisonTable, type Comparison } from './real/comparison';
import type { Outcome } from './scenarios';
import { trafficOf } from './traffic';

/** docs/figures/simulation.json: what came of the scenarios, and of which constants. */
export interface Outcomes {
  constants: string;
  outcomes: Outcome[];
}

const seconds = (value: number | null | undefined) =>
  value === null || value === undefined ? 'never' : `${number(value)} s`;

/** Relayed calls that met a device without a connection, at the peak. */
const missed = ({ offlineDeviceSeconds }: Outcome['figures']) => {
  const { relayCalls, peak } = trafficOf();
  return number(Math.round((offlineDeviceSeconds! * relayCalls * peak) / 86_400));
};

/** The generated parts of docs/scaling.md that come of the simulation, by name. */
export function outcomeBlocks({ outcomes }: Outcomes, compared: Comparison): Record<string, string> {
  const storms = outcomes.filter(({ name }) => name.startsWith('storm'));
  const deploys = outcomes.filter(({ name }) => name.startsWith('deploy'));
  return { storms: stormTable(storms), deploys: deployTable(deploys), comparison: comparisonTable(compared) };
}

function stormTable(outcomes: Outcome[]): string {
  return table(
    [
      'What happens',
      { right: 'lost' },
      { right: '50 % back' },
      { right: '99 %' },
      { right: '99.9 %' },
      { right: 'attempts' },
      { right: 'timed out' },
      { right: 'refused' },
      { right: 'turned away' },
      { right: 'handshakes /s, busiest' },
      { right: 'PostgreSQL statements /s' },
      { right: 'Redis commands /s' },
      { right: 'longest wait for the pool' },
      { right: 'presence unwritten' },
      { right: 'calls refused' },
    ],
    outcomes.map(({ label, figures: f }) => [
      label,
      number(f.lost!),
      seconds(f.p50),
      seconds(f.p99),
      seconds(f.p999),
      number(f.attempts!),
      number(f.timeouts!),
      number(f.refused!),
      number(f.turnedAway!),
      number(f.busiest!),
      number(f.statementsPeak!),
      number(f.redisPeak!),
      seconds(f.poolWaitMs! / 1_000),
      number(f.unwritten!),
      missed(f),
    ]),
  );
}

function deployTable(outcomes: Outcome[]): string {
  return table(
    [
      'How',
      { right: 'takes' },
      { right: 'reconnects per device' },
      { right: 'most' },
      { right: 'handshakes /s, busiest' },
      { right: 'all, /s' },
      { right: 'cut off' },
      { right: 'device seconds offline' },
      { right: 'calls refused' },
      { right: 'longest handshake' },
    ],
    outcomes.map(({ label, figures: f }) => [
      label,
      `${number(f.seconds! / 60)} min`,
      number(f.connectsPerDevice!),
      number(f.mostConnects!),
      number(f.busiest!),
      number(f.hellosPeak!),
      number(f.cut!),
      number(f.offlineDeviceSeconds!),
      missed(f),
      seconds(f.helloMs! / 1_000),
    ]),
  );
}

/** The pictures of docs/images, by name. */
export function pictures({ outcomes }: Outcomes, constants: Constants): Record<string, string> {
  const of = (name: string) => outcomes.find((each) => each.name === name)!.seconds!;
  const [bounded, unbounded] = [of('storm-all'), of('storm-all-unbounded')];
  const [slow, atOnce] = [of('deploy-10'), of('deploy-10-at-once')];
  const length = Math.max(bounded.online!.length, unbounded.online!.length);
  const perSecond = 1e6 / constants.value('service.cpuUsPerReconnect');
  return {
    'reconnect-storm.svg': chart('Every socket of a million devices is cut at once', length, [
      {
        title: 'Connected devices',
        lines: [
          { name: 'as it is', values: bounded.online!, colour: 1 },
          { name: 'no bounds on the pool', values: unbounded.online!, colour: 2, dashed: true },
        ],
        most: 1_000_000,
      },
      {
        title: 'Handshakes a second',
        lines: [
          { name: 'begun', values: bounded.attempts!.map((each) => Math.min(each, 200_000)), colour: 4 },
          { name: 'done', values: bounded.hellos!, colour: 1 },
        ],
        most: 100_000,
      },
      {
        title: 'What a call waits for the pool, ms',
        lines: [
          { name: 'as it is', values: bounded.poolWaitMs!, colour: 1 },
          { name: 'no bounds on the pool', values: unbounded.poolWaitMs!, colour: 2, dashed: true },
        ],
        most: 5_000,
      },
    ]),
    'rolling-deploy.svg': chart('A rolling deploy of a hundred instances, ten at a time', slow.busiest!.length, [
      {
        title: 'Handshakes a second, busiest instance',
        lines: [
          { name: 'slow start', values: slow.busiest!, colour: 1 },
          { name: 'without', values: atOnce.busiest!, colour: 2, dashed: true },
        ],
        level: { value: perSecond, name: 'what a core can do' },
      },
      {
        title: 'Longest handshake, ms',
        lines: [
          { name: 'slow start', values: slow.helloMs!, colour: 1 },
          {
            name: 'without',
            values: atOnce.helloMs!,
            colour: 2,
            dashed: true,
          },
        ],
      },
    ]),
  };
}
