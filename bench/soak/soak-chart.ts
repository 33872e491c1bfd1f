import type { SoakResult } from './soak-result';
import { createLinearAxis, createLogAxis } from './chart/axis';
import type { PanelLine, ChartPanel } from './chart/panel';
import { drawChart } from './chart/svg';
import type { SoakSecond } from './run-soak';
import { sumValues } from './statistics';
import { findCollections, sumSoakErrors } from './soak-checks';

const MIB = 2 ** 20;

/** Draws the chart of docs/soak.md. */
export function drawSoakChart(result: SoakResult): string {
  const { run, options, soakMachine: machine, startedAt } = result;
  const { seconds, peak, rate } = run;
  const share = Math.round(options.share * 100);
  const devices = options.devices.toLocaleString('en');
  const hardware = `${machine.cores} × ${machine.processor}, Node ${machine.node}`;
  return drawChart({
    title: `${devices} devices and ${rate.toLocaleString('en')} calls per second on one instance`,
    subtitle:
      `Open loop at ${share} % of the measured peak of ${peak.toLocaleString('en')} calls per second; ` +
      'latency from the scheduled start of a call.',
    source:
      `npm run soak, ${startedAt.slice(0, 10)}; ${hardware}, ` +
      'with PostgreSQL, Redis, callers and devices on the same machine',
    panels: [
      createThroughputPanel(result),
      createLatencyPanel(seconds),
      createWaitPanel(seconds),
      createMemoryPanel(seconds),
    ],
    seconds: seconds.length,
  });
}

function createThroughputPanel({ run }: SoakResult): ChartPanel {
  const { seconds, rate } = run;
  const failed = sumValues(Object.values(sumSoakErrors(run)));
  const most = Math.max(rate, ...seconds.map(({ answered }) => answered));
  const offered: PanelLine = {
    label: 'started',
    styleClass: 'grey',
    points: [
      [0, rate],
      [seconds.length, rate],
    ],
  };
  return {
    title: 'Throughput and errors',
    unit: 'calls per second',
    axis: createLinearAxis(most),
    lines: [
      createLine('answered', 'blue', seconds, ({ answered }) => answered),
      offered,
      createLine(`errors (${failed.toLocaleString('en')} in all)`, 'red', seconds, ({ errors }) =>
        sumValues(Object.values(errors)),
      ),
    ],
  };
}

function createLatencyPanel(seconds: SoakSecond[]): ChartPanel {
  const all = seconds.flatMap(({ all }) => (all ? [all] : []));
  const axis = createLogAxis(Math.min(...all.map(({ p50 }) => p50)), Math.max(...all.map(({ p99 }) => p99)));
  return {
    title: 'Latency of all kinds of calls',
    unit: 'ms (logarithmic)',
    axis,
    lines: [
      createLine('p99', 'orange', seconds, (second) => second.all?.p99),
      createLine('p50', 'green', seconds, (second) => second.all?.p50),
    ],
  };
}

/** The delays that set off queues most often. */
function createWaitPanel(seconds: SoakSecond[]): ChartPanel {
  const delays: [label: string, styleClass: string, of: (soakSecond: SoakSecond) => number][] = [
    ['service without a core', 'blue', ({ system }) => system.service.longestWait],
    ['PostgreSQL without a core', 'green', ({ system }) => system.postgres.longestWait],
    ['garbage collection', 'orange', ({ service }) => service.gcMs],
  ];
  return {
    title: 'Waits',
    unit: 'ms per second',
    axis: createLinearAxis(Math.max(...delays.flatMap(([, , of]) => seconds.map(of)))),
    lines: delays.map(([label, styleClass, of]) => createLine(label, styleClass, seconds, of)),
  };
}

function createMemoryPanel(seconds: SoakSecond[]): ChartPanel {
  return {
    title: 'Memory of the service',
    unit: 'MiB',
    axis: createLinearAxis(Math.max(...seconds.map(({ service }) => service.rssBytes)) / MIB),
    lines: [
      createLine('resident set', 'blue', seconds, ({ service }) => service.rssBytes / MIB),
      createLine('heap used', 'green', seconds, ({ service }) => service.heapUsedBytes / MIB),
      {
        ...createLine(
          'after full collections',
          'orange',
          findCollections(seconds),
          ({ service }) => service.heldBytes / MIB,
        ),
        hasDots: true,
      },
    ],
  };
}

function createLine(
  label: string,
  styleClass: string,
  seconds: SoakSecond[],
  of: (soakSecond: SoakSecond) => number | undefined,
): PanelLine {
  const points = seconds.flatMap((second) => {
    const value = of(second);
    return value === undefined ? [] : [[second.at, value] as const];
  });
  return { label, styleClass, points };
}
