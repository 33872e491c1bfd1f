import { TOKEN_BUCKET_NAMES } from '../../../access/rate-limiting';
import { formatAxisMark, formatCallCount, formatNumber, formatPeriodName } from './usage-format';
import { type UsagePeriod, type UsageTimeRange, sumPeriods } from './usage-periods';

interface UsageChartProps {
  granularity: UsageTimeRange['granularity'];
  /** Oldest first. */
  periods: readonly UsagePeriod[];
  /** Accessible title. */
  title: string;
  /** Periods between two marks of the axis; must divide the number of periods. */
  markInterval: number;
}

/** In SVG units. A period is one unit wide. */
const CHART_HEIGHT = 100;
const BAR_GAP = 0.12;
/** Keeps a single call visible beside thousands. */
const MIN_BAR_HEIGHT = 1.5;
/** Space beside the bar of errors, in which the bar of all calls shows. */
const ERROR_BAR_GAP = 0.32;

/**
 * Stacked bar chart of calls by bucket, with a narrow bar of the errors among them in front. The SVG stretches, so its
 * labels are HTML around it.
 */
export function UsageChart({ granularity, periods, title, markInterval }: UsageChartProps) {
  const top = getAxisMaximum(Math.max(...periods.map(({ requests }) => requests)));
  const marks = periods.filter((_, index) => index % markInterval === 0);
  const id = `calls-by-${granularity}`;
  return (
    <div class="chart">
      <div class="y-axis" aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{formatNumber(value)}</span>
        ))}
      </div>
      <svg
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-desc`}
        viewBox={`0 0 ${periods.length} ${CHART_HEIGHT}`}
        preserveAspectRatio="none"
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>{describeUsage(granularity, periods)}</desc>
        {[0, CHART_HEIGHT / 2, CHART_HEIGHT].map((y) => (
          <line key={y} x1={0} x2={periods.length} y1={y} y2={y} />
        ))}
        {periods.map((period, index) => (
          <UsageChartBar key={period.start} granularity={granularity} usagePeriod={period} x={index} top={top} />
        ))}
      </svg>
      <div class="x-axis" aria-hidden="true">
        {marks.map(({ start }) => (
          <span key={start}>{formatAxisMark(granularity, start)}</span>
        ))}
      </div>
      <output class="chart-value" hidden />
    </div>
  );
}

interface UsageChartBarProps {
  granularity: UsageTimeRange['granularity'];
  usagePeriod: UsagePeriod;
  x: number;
  top: number;
}

function UsageChartBar({ granularity, usagePeriod: period, x, top }: UsageChartBarProps) {
  let y = CHART_HEIGHT;
  return (
    <g>
      <title>{`${formatPeriodName(granularity, period.start)} UTC: ${formatBucketCounts([period])}`}</title>
      <rect class="whole" x={x} y={0} width={1} height={CHART_HEIGHT} />
      {TOKEN_BUCKET_NAMES.filter((name) => period.calls[name] > 0).map((name) => {
        const height = Math.max(MIN_BAR_HEIGHT, (period.calls[name] / top) * CHART_HEIGHT);
        y -= height;
        return <rect key={name} class={name} x={x + BAR_GAP} y={y} width={1 - 2 * BAR_GAP} height={height} />;
      })}
      {period.errors > 0 && <ErrorBar errors={period.errors} x={x} top={top} />}
    </g>
  );
}

function ErrorBar({ errors, x, top }: { errors: number; x: number; top: number }) {
  const height = Math.max(MIN_BAR_HEIGHT, (errors / top) * CHART_HEIGHT);
  const width = 1 - 2 * ERROR_BAR_GAP;
  return <rect class="errors" x={x + ERROR_BAR_GAP} y={CHART_HEIGHT - height} width={width} height={height} />;
}

/** Legend of the colours. */
export function UsageChartLegend() {
  return (
    <ul class="chart-key" aria-hidden="true">
      {[...TOKEN_BUCKET_NAMES, 'errors'].map((name) => (
        <li key={name} class={name}>
          {name}
        </li>
      ))}
    </ul>
  );
}

function describeUsage(granularity: UsageTimeRange['granularity'], periods: readonly UsagePeriod[]): string {
  const busiest = periods.reduce((most, period) => (period.requests > most.requests ? period : most));
  const all = `${formatBucketCounts(periods)} in total.`;
  if (busiest.requests === 0) return all;
  const period = formatPeriodName(granularity, busiest.start);
  return `${all} Busiest ${granularity}: ${formatNumber(busiest.requests)}, ${period} UTC.`;
}

function formatBucketCounts(periods: readonly UsagePeriod[]): string {
  const parts = TOKEN_BUCKET_NAMES.map(
    (name) => `${formatNumber(sumPeriods(periods, ({ calls }) => calls[name]))} ${name}`,
  );
  const calls = formatCallCount(sumPeriods(periods, ({ requests }) => requests));
  const errors = sumPeriods(periods, (period) => period.errors);
  return `${calls} (${parts.join(', ')}), ${formatNumber(errors)} ${errors === 1 ? 'error' : 'errors'}`;
}

/** Returns the smallest round maximum that is at least `highest` and even. */
export function getAxisMaximum(highest: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, highest))));
  const tops = [1, 2, 4, 6, 8, 10].map((step) => step * power);
  return tops.find((top) => top >= highest && top % 2 === 0)!;
}
