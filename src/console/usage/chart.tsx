import { ACCOUNT_BUCKETS } from './account-buckets';
import { topOf } from './chart-scale';
import { sumOf, type Period, type Span } from './periods';
import { callsOf, figure, periodMark, periodName } from './utc';

interface ChartProps {
  granularity: Span['granularity'];
  /** The oldest first. */
  periods: readonly Period[];
  /** What it shows. */
  title: string;
  /** How many periods stand between two marks of the axis; divides their number. */
  markEvery: number;
}

/** In units of the drawing; a bar has one unit of width. */
const HEIGHT = 100;
const GAP = 0.12;
/** So that a single call beside thousands is seen. */
const LEAST = 1.5;

/** Calls of periods in a row as bars, each bucket upon the other. It stretches; what is written stands around it. */
export function Chart({ granularity, periods, title, markEvery }: ChartProps) {
  const top = topOf(Math.max(...periods.map(({ requests }) => requests)));
  const marks = periods.filter((_, index) => index % markEvery === 0);
  const id = `calls-by-${granularity}`;
  return (
    <div class="chart">
      <div class="y-axis" aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{figure(value)}</span>
        ))}
      </div>
      <svg
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-desc`}
        viewBox={`0 0 ${periods.length} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>{inWords(granularity, periods)}</desc>
        {[0, HEIGHT / 2, HEIGHT].map((y) => (
          <line key={y} x1={0} x2={periods.length} y1={y} y2={y} />
        ))}
        {periods.map((period, index) => (
          <Bar key={period.start} granularity={granularity} period={period} x={index} top={top} />
        ))}
      </svg>
      <div class="x-axis" aria-hidden="true">
        {marks.map(({ start }) => (
          <span key={start}>{periodMark(granularity, start)}</span>
        ))}
      </div>
    </div>
  );
}

interface BarProps {
  granularity: Span['granularity'];
  period: Period;
  x: number;
  top: number;
}

function Bar({ granularity, period, x, top }: BarProps) {
  let y = HEIGHT;
  return (
    <g>
      <title>{`${periodName(granularity, period.start)} UTC: ${bucketsOf([period])}`}</title>
      <rect class="whole" x={x} y={0} width={1} height={HEIGHT} />
      {ACCOUNT_BUCKETS.filter((name) => period.calls[name] > 0).map((name) => {
        const height = Math.max(LEAST, (period.calls[name] / top) * HEIGHT);
        y -= height;
        return <rect key={name} class={name} x={x + GAP} y={y} width={1 - 2 * GAP} height={height} />;
      })}
    </g>
  );
}

/** Which colour is which. */
export function ChartKey() {
  return (
    <ul class="chart-key" aria-hidden="true">
      {ACCOUNT_BUCKETS.map((name) => (
        <li key={name} class={name}>
          {name}
        </li>
      ))}
    </ul>
  );
}

function inWords(granularity: Span['granularity'], periods: readonly Period[]): string {
  const busiest = periods.reduce((most, period) => (period.requests > most.requests ? period : most));
  const all = `In all ${bucketsOf(periods)}.`;
  if (busiest.requests === 0) return all;
  return `${all} The most in one ${granularity}: ${figure(busiest.requests)}, ${periodName(granularity, busiest.start)} UTC.`;
}

function bucketsOf(periods: readonly Period[]): string {
  const parts = ACCOUNT_BUCKETS.map((name) => `${figure(sumOf(periods, ({ calls }) => calls[name]))} ${name}`);
  return `${callsOf(sumOf(periods, ({ requests }) => requests))} (${parts.join(', ')})`;
}
