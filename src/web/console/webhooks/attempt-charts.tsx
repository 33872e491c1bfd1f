import { HOUR, MINUTE } from '../../../common/clock';
import { MAX_SUMMARIZED_ATTEMPTS, type AttemptSlot, type AttemptStatistics } from '../../../modules/webhooks';
import { BarChart, ChartLegend } from '../components/bar-chart';
import { RangeLinks, type TimeRangeName } from '../forms/time-presets';
import { formatNumber, formatPeriodName } from '../usage/usage-format';

/** Slots of a range, of which the last one contains the current time. */
const SLOTS: Record<TimeRangeName, { slotMs: number; count: number; words: string; markInterval: number }> = {
  hour: { slotMs: 5 * MINUTE, count: 12, words: 'the last hour', markInterval: 3 },
  day: { slotMs: HOUR, count: 24, words: 'the last 24 hours', markInterval: 6 },
  week: { slotMs: 6 * HOUR, count: 28, words: 'the last 7 days', markInterval: 4 },
};

/** Returns the slots of a range: their length, and the start of the first one in Unix ms. */
export function getAttemptSlots(range: TimeRangeName, now: number) {
  const { slotMs, count } = SLOTS[range];
  return { slotMs, from: (Math.floor(now / slotMs) + 1 - count) * slotMs };
}

interface AttemptChartsProps {
  range: TimeRangeName;
  statistics: AttemptStatistics;
  /** Start of the first slot, in Unix ms. */
  from: number;
  /** Path of the webhook's page. */
  path: string;
}

/** Success rate and response times of a webhook's attempts, as words and charts. */
export function AttemptCharts({ range, statistics: { total, slots }, from, path }: AttemptChartsProps) {
  const { slotMs, count, words, markInterval } = SLOTS[range];
  const known = new Map(slots.map((slot) => [slot.start, slot]));
  const starts = Array.from({ length: count }, (_, index) => from + index * slotMs);
  const all = starts.map((start) => known.get(start) ?? createEmptySlot(start));
  const marks = starts.filter((_, index) => index % markInterval === 0).map((start) => formatPeriodName('hour', start));
  return (
    <section class="part" aria-labelledby="attempts">
      <div class="chart-head">
        <h2 id="attempts">Attempts</h2>
        <RangeLinks path={path} selected={range} target="attempts" />
      </div>
      {total.attempts === 0 ? (
        <p>{`There were no attempts in ${words}.`}</p>
      ) : (
        <>
          <p>{describeTotal(total)}</p>
          <div class="chart-head">
            <h3>{`Attempts, ${words}`}</h3>
            <ChartLegend entries={{ metadata: 'attempts', errors: 'failed' }} />
          </div>
          <BarChart
            id="attempt-counts"
            title={`Attempts, ${words}`}
            description={formatCounts(total)}
            bars={all.map((slot) => ({
              key: slot.start,
              title: `${formatPeriodName('hour', slot.start)} UTC: ${formatCounts(slot)}`,
              parts: [{ class: 'metadata', value: slot.attempts }],
              errors: slot.attempts - slot.succeeded,
            }))}
            formatValue={formatNumber}
            marks={marks}
          />
          {total.medianMs !== null && (
            <>
              <div class="chart-head">
                <h3>{`Response times, ${words}`}</h3>
                <ChartLegend entries={{ metadata: 'half of them', relay: '95 %' }} />
              </div>
              <BarChart
                id="response-times"
                title={`Response times, ${words}`}
                description={formatTimes(total)}
                bars={all.map((slot) => ({
                  key: slot.start,
                  title: `${formatPeriodName('hour', slot.start)} UTC: ${formatTimes(slot)}`,
                  parts: [
                    { class: 'metadata', value: slot.medianMs ?? 0 },
                    { class: 'relay', value: (slot.slowMs ?? 0) - (slot.medianMs ?? 0) },
                  ],
                }))}
                formatValue={formatMs}
                marks={marks}
              />
            </>
          )}
          {total.attempts >= MAX_SUMMARIZED_ATTEMPTS && (
            <p class="fine">{`These are the newest ${formatNumber(MAX_SUMMARIZED_ATTEMPTS)} attempts of ${words}.`}</p>
          )}
        </>
      )}
    </section>
  );
}

type Summary = AttemptStatistics['total'];

const createEmptySlot = (start: number): AttemptSlot => ({
  start,
  attempts: 0,
  succeeded: 0,
  medianMs: null,
  slowMs: null,
});

function describeTotal(total: Summary): string {
  // Rounded down, so that 100 % means all.
  const rate = Math.floor((total.succeeded / total.attempts) * 1_000) / 10;
  const times = total.medianMs === null ? '' : ` ${formatTimes(total)}.`;
  return `${rate} % succeeded: ${formatCounts(total)}.${times}`;
}

function formatCounts({ attempts, succeeded }: Summary): string {
  const failed = attempts - succeeded;
  return `${formatNumber(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}, ${formatNumber(failed)} failed`;
}

function formatTimes({ medianMs, slowMs }: Summary): string {
  if (medianMs === null) return 'No responses';
  return `Half of the responses took up to ${formatMs(medianMs)}, 95 % up to ${formatMs(slowMs!)}`;
}

const formatMs = (ms: number) => `${formatNumber(ms)} ms`;
