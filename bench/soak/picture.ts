import type { SoakResult } from './result';
import { linearAxis, logAxis } from './chart/axis';
import type { Line, Panel } from './chart/panel';
import { drawChart } from './chart/svg';
import type { Second } from './run';
import { sum } from './statistics';
import { collectionsIn, errorsOf } from './verdict';

const MIB = 2 ** 20;

/** The graph of docs/soak.md. */
export function picture(result: SoakResult): string {
  const { run, options, machine, startedAt } = result;
  const { seconds, peak, rate } = run;
  const share = Math.round(options.share * 100);
  return drawChart({
    title: `${options.devices.toLocaleString('en')} devices and ${rate.toLocaleString('en')} calls a second on one instance`,
    subtitle: `Open loop at ${share} % of the measured peak of ${peak.toLocaleString('en')} a second; latency from when a call should have begun.`,
    source: `npm run soak, ${startedAt.slice(0, 10)}; ${machine.cores} × ${machine.processor}, Node ${machine.node}, with PostgreSQL, Redis, callers and devices on the same machine`,
    panels: [throughput(result), latency(seconds), memory(seconds)],
    seconds: seconds.length,
  });
}

function throughput({ run }: SoakResult): Panel {
  const { seconds, rate } = run;
  const failed = sum(Object.values(errorsOf(run)));
  const most = Math.max(rate, ...seconds.map(({ answered }) => answered));
  const offered: Line = {
    label: 'begun',
    look: 'grey',
    points: [
      [0, rate],
      [seconds.length, rate],
    ],
  };
  return {
    title: 'Throughput and errors',
    unit: 'calls per second',
    axis: linearAxis(most),
    lines: [
      line('answered', 'blue', seconds, ({ answered }) => answered),
      offered,
      line(`errors (${failed.toLocaleString('en')} in all)`, 'red', seconds, ({ errors }) =>
        sum(Object.values(errors)),
      ),
    ],
  };
}

function latency(seconds: Second[]): Panel {
  const all = seconds.flatMap(({ all }) => (all ? [all] : []));
  const axis = logAxis(Math.min(...all.map(({ p50 }) => p50)), Math.max(...all.map(({ p99 }) => p99)));
  return {
    title: 'Latency of all kinds of calls',
    unit: 'ms (logarithmic)',
    axis,
    lines: [
      line('p99', 'orange', seconds, (second) => second.all?.p99),
      line('p50', 'green', seconds, (second) => second.all?.p50),
    ],
  };
}

function memory(seconds: Second[]): Panel {
  return {
    title: 'Memory of the service',
    unit: 'MiB',
    axis: linearAxis(Math.max(...seconds.map(({ service }) => service.rssBytes)) / MIB),
    lines: [
      line('resident set', 'blue', seconds, ({ service }) => service.rssBytes / MIB),
      line('heap used', 'green', seconds, ({ service }) => service.heapUsedBytes / MIB),
      {
        ...line('left by full collections', 'orange', collectionsIn(seconds), ({ service }) => service.heldBytes / MIB),
        dots: true,
      },
    ],
  };
}

function line(label: string, look: string, seconds: Second[], of: (second: Second) => number | undefined): Line {
  const points = seconds.flatMap((second) => {
    const value = of(second);
    return value === undefined ? [] : [[second.at, value] as const];
  });
  return { label, look, points };
}
