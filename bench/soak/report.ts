import { median } from '../run-row';
import { KINDS, MIX } from './mix';
import { bestOf, KEEPS_UP_MS } from './peak';
import type { SoakResult } from './result';
import type { Second } from './run';
import type { Quantiles } from './second';
import { sum } from './statistics';
import { errorsOf } from './verdict';

const MIB = 2 ** 20;
/** In seconds. */
const MINUTE = 60;

/** As Markdown, which is a table to look at as well: what docs/soak.md shows. */
export function report(result: SoakResult): string {
  return [about(result), calls(result), verdict(result)].join('\n\n');
}

function about({ startedAt, machine, options, run }: SoakResult): string {
  const { peak, ramp, climb, rate, seconds } = run;
  const best = bestOf(ramp);
  const [first, last] = [seconds.slice(0, MINUTE), seconds.slice(-MINUTE)];
  const answered = sum(seconds.map((second) => second.answered));
  const cpu = (seconds.at(-1)!.service.cpuUs - seconds[0]!.service.cpuUs) / (seconds.length - 1) / 1e6;
  return table(
    ['What', 'Figure'],
    [
      ['when, on what', `${startedAt.slice(0, 10)}, ${machine.cores} × ${machine.processor}, Node ${machine.node}`],
      ['devices connected', number(options.devices)],
      ['a closed loop gets', `${number(best.rate)} calls a second, ${best.inFlight} in flight`],
      [
        `kept up with for a minute (p99 ≤ ${KEEPS_UP_MS} ms)`,
        `${number(peak)} calls a second; ${climb.map((each) => `${number(each.rate)}: ${each.p99.toFixed(0)} ms`).join(', ')}`,
      ],
      ['load', `${number(rate)} calls a second for ${options.minutes} min (${Math.round(options.share * 100)} %)`],
      ['answered', number(answered)],
      ['errors', errorList(errorsOf(run))],
      ['deliveries', `${number(run.webhooks.delivered)} of ${number(run.webhooks.expected)}`],
      ['CPU of the service', `${cpu.toFixed(2)} of a core`],
      [
        'CPU of the service for a call, first and last minute',
        `${cpuOfCall(first).toFixed(0)} and ${cpuOfCall(last).toFixed(0)} µs`,
      ],
      [
        'CPU of a fixed piece of work, first and last minute',
        `${medianOf(first, ({ workUs }) => workUs / 1_000)} and ${medianOf(last, ({ workUs }) => workUs / 1_000)} ms`,
      ],
      ['resident set, first and last second', range(seconds, ({ service }) => service.rssBytes / MIB, 'MiB')],
      [
        'event loop lag, p99, median of the seconds',
        `${medianOf(seconds, ({ service }) => service.eventLoopLagP99Ms)} ms`,
      ],
    ],
  );
}

/** Medians over the seconds of each second's quantile. */
function calls({ run: { seconds } }: SoakResult): string {
  const share = (kind: (typeof KINDS)[number]) => `${MIX[kind]} %`;
  const row = (name: string, part: string, of: (second: Second) => Quantiles | null | undefined) => {
    const seen = seconds.flatMap((second) => of(second) ?? []);
    const ms = (pick: (quantiles: Quantiles) => number) => (seen.length === 0 ? '' : median(seen.map(pick)).toFixed(1));
    const worst = Math.max(0, ...seen.map(({ max }) => max));
    return [name, part, ms(({ p50 }) => p50), ms(({ p99 }) => p99), worst.toFixed(0)];
  };
  return table(
    ['Kind', 'Share', 'p50, ms', 'p99, ms', 'slowest, ms'],
    [
      ...KINDS.map((kind) => row(kind, share(kind), (second) => second.kinds[kind])),
      row('all calls', '100 %', ({ all }) => all),
      row('webhook delivery, from its event', '', ({ deliveries }) => deliveries),
    ],
  );
}

function verdict({ judgements }: SoakResult): string {
  return table(
    ['Must hold', 'Seen', 'Bound', 'Verdict'],
    judgements.map(({ what, seen, bound, met }) => [what, seen, bound, met ? 'met' : 'missed']),
  );
}

function errorList(errors: Record<string, number>): string {
  return (
    Object.entries(errors)
      .map(([code, count]) => `${code} ${number(count)}`)
      .join(', ') || 'none'
  );
}

/** In µs, with all that the service does beside calls. */
function cpuOfCall(seconds: Second[]): number {
  const cpuUs = seconds.at(-1)!.service.cpuUs - seconds[0]!.service.cpuUs;
  return cpuUs / sum(seconds.slice(1).map(({ answered }) => answered));
}

function range(seconds: Second[], of: (second: Second) => number, unit: string): string {
  return `${of(seconds[0]!).toFixed(0)} and ${of(seconds.at(-1)!).toFixed(0)} ${unit}`;
}

function medianOf(seconds: Second[], of: (second: Second) => number): string {
  return median(seconds.map(of)).toFixed(1);
}

function number(value: number): string {
  return value.toLocaleString('en');
}

/** Aligned, so that it reads the same with and without a renderer. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]!.length)));
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
