import { median } from '../run-benchmark-row';
import { formatMarkdownTable } from './markdown-table';
import type { TurnCounts } from './agent-turns';
import { CALL_KINDS, WORKLOAD_SHARES } from './workload';
import { findBestStep, MAX_P99_MS, type OpenLoopStep } from './peak';
import type { SoakResult } from './soak-result';
import type { SoakSecond } from './run-soak';
import type { LatencyQuantiles } from './call-recorder';
import { sumValues } from './statistics';
import { sumSoakErrors } from './soak-checks';
import { formatWaitsReport } from './waits-report';

const MIB = 2 ** 20;
/** Length of the first and last span, in seconds. */
const MINUTE = 60;

/** Formats the tables of docs/soak.md as Markdown, which is also readable in a terminal. */
export function formatSoakReport(result: SoakResult): string {
  return [
    formatSummary(result),
    formatCallTable(result),
    formatWaitsReport(result.run.seconds),
    formatCheckTable(result),
  ].join('\n\n');
}

function formatSummary({ startedAt, soakMachine: machine, options, run }: SoakResult): string {
  const { peak, ramp, climb, rate, seconds } = run;
  const best = findBestStep(ramp);
  const [first, last] = [seconds.slice(0, MINUTE), seconds.slice(-MINUTE)];
  const answered = sumValues(seconds.map((second) => second.answered));
  const cpu = (seconds.at(-1)!.service.cpuUs - seconds[0]!.service.cpuUs) / (seconds.length - 1) / 1e6;
  return formatMarkdownTable(
    ['Item', 'Figure'],
    [
      ['date and machine', `${startedAt.slice(0, 10)}, ${machine.cores} × ${machine.processor}, Node ${machine.node}`],
      ['devices connected', formatInteger(options.devices)],
      ['closed loop', `${formatInteger(best.rate)} calls per second, ${best.inFlight} in flight`],
      [
        `sustained for ${options.stepSeconds} s (p99 ≤ ${MAX_P99_MS} ms)`,
        `${formatInteger(peak)} calls per second; ${climb.map(formatOpenLoopStep).join(', ')}`,
      ],
      [
        'load',
        `${formatInteger(rate)} calls per second for ${options.minutes} min (${Math.round(options.share * 100)} %)`,
      ],
      ['answered', formatInteger(answered)],
      ['errors', formatErrors(sumSoakErrors(run))],
      ['deliveries', `${formatInteger(run.webhooks.delivered)} of ${formatInteger(run.webhooks.expected)}`],
      ['CPU of the service', `${cpu.toFixed(2)} of a core`],
      [
        'CPU of the service per call, first and last minute',
        `${computeCpuPerCall(first).toFixed(0)} and ${computeCpuPerCall(last).toFixed(0)} µs`,
      ],
      [
        'CPU of a fixed piece of work, first and last minute',
        `${formatMedian(first, toWorkMs)} and ${formatMedian(last, toWorkMs)} ms`,
      ],
      ['resident set, first and last second', formatRange(seconds, ({ service }) => service.rssBytes / MIB, 'MiB')],
      [
        'event loop lag, p99, median of the seconds',
        `${formatMedian(seconds, ({ service }) => service.eventLoopLagP99Ms)} ms`,
      ],
    ],
  );
}

function toWorkMs({ workUs }: SoakSecond): number {
  return workUs / 1_000;
}

/** Formats the latencies per kind of call: medians over the seconds of each second's quantiles. */
function formatCallTable({ run: { seconds, turns } }: SoakResult): string {
  const share = (kind: (typeof CALL_KINDS)[number]) => `${WORKLOAD_SHARES[kind]} %`;
  const row = (name: string, part: string, of: (soakSecond: SoakSecond) => LatencyQuantiles | null | undefined) => {
    const seen = seconds.flatMap((second) => of(second) ?? []);
    const ms = (pick: (latencyQuantiles: LatencyQuantiles) => number) =>
      seen.length === 0 ? '' : median(seen.map(pick)).toFixed(1);
    const worst = Math.max(0, ...seen.map(({ max }) => max));
    return [name, part, ms(({ p50 }) => p50), ms(({ p99 }) => p99), worst.toFixed(0)];
  };
  return formatMarkdownTable(
    ['Kind', 'Share', 'p50, ms', 'p99, ms', 'slowest, ms'],
    [
      ...CALL_KINDS.map((kind) => row(kind, share(kind), (second) => second.kinds[kind])),
      row('all calls', '100 %', ({ all }) => all),
      row('webhook delivery, from its event', '', ({ deliveries }) => deliveries),
      formatTurnRow(turns),
    ],
  );
}

/** Formats the times from messages to the replies of agents, over the whole run. */
function formatTurnRow({ delays }: TurnCounts): string[] {
  const ms = delays ? [delays.p50.toFixed(1), delays.p99.toFixed(1), delays.max.toFixed(0)] : ['', '', ''];
  return ['message to an agent, until its reply', '', ...ms];
}

function formatCheckTable({ judgements }: SoakResult): string {
  return formatMarkdownTable(
    ['Requirement', 'Observed', 'Bound', 'Verdict'],
    judgements.map(({ what, seen, bound, met }) => [what, seen, bound, met ? 'met' : 'missed']),
  );
}

function formatErrors(errors: Record<string, number>): string {
  return (
    Object.entries(errors)
      .map(([code, count]) => `${code} ${formatInteger(count)}`)
      .join(', ') || 'none'
  );
}

function formatOpenLoopStep({ rate, p99 }: OpenLoopStep): string {
  return `${formatInteger(rate)}: ${p99.toFixed(0)} ms`;
}

/** Returns the CPU time per call in µs, including background work of the service. */
function computeCpuPerCall(seconds: SoakSecond[]): number {
  const cpuUs = seconds.at(-1)!.service.cpuUs - seconds[0]!.service.cpuUs;
  return cpuUs / sumValues(seconds.slice(1).map(({ answered }) => answered));
}

function formatRange(seconds: SoakSecond[], of: (soakSecond: SoakSecond) => number, unit: string): string {
  return `${of(seconds[0]!).toFixed(0)} and ${of(seconds.at(-1)!).toFixed(0)} ${unit}`;
}

function formatMedian(seconds: SoakSecond[], of: (soakSecond: SoakSecond) => number): string {
  return median(seconds.map(of)).toFixed(1);
}

function formatInteger(value: number): string {
  return value.toLocaleString('en');
}
