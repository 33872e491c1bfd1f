import type { Axis } from './axis';

/** Values over time in one colour. */
export interface PanelLine {
  label: string;
  /** Class of `CHART_STYLE`. */
  styleClass: string;
  points: (readonly [second: number, value: number])[];
  /** Draws the points without a line between them. */
  hasDots?: boolean;
}

export interface ChartPanel {
  title: string;
  /** Unit of the axis. */
  unit: string;
  axis: Axis;
  lines: PanelLine[];
}

export const PLOT_LEFT = 64;
export const PLOT_RIGHT = 20;
export const CHART_WIDTH = 920;
export const PLOT_HEIGHT = 150;
const PLOT_WIDTH = CHART_WIDTH - PLOT_LEFT - PLOT_RIGHT;

/** @param top of the plot; its title and legend are above it */
export function drawPanel(chartPanel: ChartPanel, top: number, seconds: number): string {
  const { title, unit, axis, lines } = chartPanel;
  const y = (value: number) => (top + PLOT_HEIGHT * (1 - axis.toShare(value))).toFixed(1);
  const grid = axis.ticks.map(
    (tick) =>
      `<path class="grid" d="M${PLOT_LEFT} ${y(tick)}H${CHART_WIDTH - PLOT_RIGHT}"/>` +
      `<text class="tick end" x="${PLOT_LEFT - 8}" y="${Number(y(tick)) + 4}">${tick.toLocaleString('en')}</text>`,
  );
  const middle = top + PLOT_HEIGHT / 2;
  return [
    `<text class="name" x="${PLOT_LEFT}" y="${top - 14}">${title}</text>`,
    `<text class="unit" transform="translate(16 ${middle}) rotate(-90)">${unit}</text>`,
    ...grid,
    ...lines.map((line) => drawLine(line, y, seconds)),
    drawLegend(lines, top - 14),
  ].join('\n');
}

export function toChartX(second: number, seconds: number): number {
  return PLOT_LEFT + (PLOT_WIDTH * second) / seconds;
}

function drawLine({ styleClass, points, hasDots }: PanelLine, y: (value: number) => string, seconds: number): string {
  const at = points.map(([second, value]) => [toChartX(second, seconds).toFixed(1), y(value)] as const);
  if (hasDots)
    return at.map(([x, top]) => `<circle class="${styleClass} dot" cx="${x}" cy="${top}" r="2.2"/>`).join('');
  return `<path class="${styleClass} line" d="M${at.map((point) => point.join(' ')).join('L')}"/>`;
}

/** Draws the legend as one text, so that it ends at the right edge of the plot with every font. */
function drawLegend(lines: PanelLine[], y: number): string {
  const entries = lines.map(({ label, styleClass, hasDots }, i) => {
    const mark = hasDots ? '●' : styleClass === 'grey' ? '╌╌' : '━━';
    return `<tspan class="${styleClass} mark" dx="${i === 0 ? 0 : 22}">${mark}</tspan><tspan dx="6">${label}</tspan>`;
  });
  return `<text class="key end" x="${CHART_WIDTH - PLOT_RIGHT}" y="${y}">${entries.join('')}</text>`;
}
