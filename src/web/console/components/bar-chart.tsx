import type { ComponentChildren } from 'preact';

/** Part of a bar: its class is that of the legend. */
interface BarPart {
  class: string;
  value: number;
}

/** Numbers of one period. */
export interface ChartBar {
  key: number;
  /** Shown on touch, hover and arrow keys. */
  title: string;
  /** Stacked, from the bottom. */
  parts: readonly BarPart[];
  /** Narrow bar of the failures among them, in front. */
  errors?: number;
}

interface BarChartProps {
  id: string;
  /** Accessible title. */
  title: string;
  /** Accessible summary. */
  description: string;
  /** Oldest first. */
  bars: readonly ChartBar[];
  formatValue: (value: number) => string;
  /** Names of periods under the axis, at equal distances. */
  marks: readonly string[];
}

/** In SVG units. A bar is one unit wide, with its gaps. */
const CHART_HEIGHT = 100;
const BAR_GAP = 0.12;
/** Keeps a single event visible beside thousands. */
const MIN_BAR_HEIGHT = 1.5;
/** Space beside the bar of errors, in which the whole bar shows. */
const ERROR_BAR_GAP = 0.32;

/**
 * Stacked bar chart. The SVG stretches, so its labels are HTML around it. `charts.js` shows the numbers of a bar;
 * without scripts, the titles do.
 */
export function BarChart({ id, title, description, bars, formatValue, marks }: BarChartProps) {
  const top = getAxisMaximum(Math.max(...bars.map(({ parts }) => sumParts(parts))));
  return (
    <div class="chart">
      <div class="y-axis" aria-hidden="true">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{formatValue(value)}</span>
        ))}
      </div>
      <svg
        role="img"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-desc`}
        viewBox={`0 0 ${bars.length} ${CHART_HEIGHT}`}
        preserveAspectRatio="none"
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>{description}</desc>
        {[0, CHART_HEIGHT / 2, CHART_HEIGHT].map((y) => (
          <line key={y} x1={0} x2={bars.length} y1={y} y2={y} />
        ))}
        {bars.map((bar, index) => (
          <Bar key={bar.key} bar={bar} x={index} top={top} />
        ))}
      </svg>
      <div class="x-axis" aria-hidden="true">
        {marks.map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
      <output class="chart-value" hidden />
    </div>
  );
}

const sumParts = (parts: readonly BarPart[]) => parts.reduce((sum, { value }) => sum + value, 0);
const toHeight = (value: number, top: number) => Math.max(MIN_BAR_HEIGHT, (value / top) * CHART_HEIGHT);

function Bar({ bar: { title, parts, errors = 0 }, x, top }: { bar: ChartBar; x: number; top: number }) {
  let y = CHART_HEIGHT;
  return (
    <g>
      <title>{title}</title>
      <rect class="whole" x={x} y={0} width={1} height={CHART_HEIGHT} />
      {parts
        .filter(({ value }) => value > 0)
        .map(({ class: name, value }) => {
          const height = toHeight(value, top);
          y -= height;
          return <rect key={name} class={name} x={x + BAR_GAP} y={y} width={1 - 2 * BAR_GAP} height={height} />;
        })}
      {errors > 0 && (
        <rect
          class="errors"
          x={x + ERROR_BAR_GAP}
          y={CHART_HEIGHT - toHeight(errors, top)}
          width={1 - 2 * ERROR_BAR_GAP}
          height={toHeight(errors, top)}
        />
      )}
    </g>
  );
}

/** Legend of the colours. @param entries texts by class */
export function ChartLegend({ entries }: { entries: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <ul class="chart-key" aria-hidden="true">
      {Object.entries(entries).map(([name, text]) => (
        <li key={name} class={name}>
          {text}
        </li>
      ))}
    </ul>
  );
}

/** Returns the smallest round maximum that is at least `highest` and even. */
export function getAxisMaximum(highest: number): number {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, highest))));
  const tops = [1, 2, 4, 6, 8, 10].map((step) => step * power);
  return tops.find((top) => top >= highest && top % 2 === 0)!;
}
