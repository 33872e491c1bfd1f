import type { Axis } from './axis';

/** Values over time in one colour. */
export interface Line {
  label: string;
  /** A class of the style sheet. */
  look: string;
  points: (readonly [second: number, value: number])[];
  /** Points by themselves, not joined. */
  dots?: boolean;
}

export interface Panel {
  title: string;
  /** What the numbers beside it are. */
  unit: string;
  axis: Axis;
  lines: Line[];
}

export const LEFT = 64;
export const RIGHT = 20;
export const WIDTH = 920;
export const HEIGHT = 150;
const PLOT = WIDTH - LEFT - RIGHT;

/** @param top of the plot itself; its title and legend stand above it */
export function drawPanel(panel: Panel, top: number, seconds: number): string {
  const { title, unit, axis, lines } = panel;
  const y = (value: number) => (top + HEIGHT * (1 - axis.shareOf(value))).toFixed(1);
  const grid = axis.ticks.map(
    (tick) =>
      `<path class="grid" d="M${LEFT} ${y(tick)}H${WIDTH - RIGHT}"/>` +
      `<text class="tick end" x="${LEFT - 8}" y="${Number(y(tick)) + 4}">${tick.toLocaleString('en')}</text>`,
  );
  const middle = top + HEIGHT / 2;
  return [
    `<text class="name" x="${LEFT}" y="${top - 14}">${title}</text>`,
    `<text class="unit" transform="translate(16 ${middle}) rotate(-90)">${unit}</text>`,
    ...grid,
    ...lines.map((line) => drawLine(line, y, seconds)),
    legend(lines, top - 14),
  ].join('\n');
}

export function xOf(second: number, seconds: number): number {
  return LEFT + (PLOT * second) / seconds;
}

function drawLine({ look, points, dots }: Line, y: (value: number) => string, seconds: number): string {
  const at = points.map(([second, value]) => [xOf(second, seconds).toFixed(1), y(value)] as const);
  if (dots) return at.map(([x, top]) => `<circle class="${look} dot" cx="${x}" cy="${top}" r="2.2"/>`).join('');
  return `<path class="${look} line" d="M${at.map((point) => point.join(' ')).join('L')}"/>`;
}

/** One text, so that it ends where the plot does, whatever the font's widths are. */
function legend(lines: Line[], y: number): string {
  const entries = lines.map(({ label, look, dots }, i) => {
    const mark = dots ? '●' : look === 'grey' ? '╌╌' : '━━';
    return `<tspan class="${look} mark" dx="${i === 0 ? 0 : 22}">${mark}</tspan><tspan dx="6">${label}</tspan>`;
  });
  return `<text class="key end" x="${WIDTH - RIGHT}" y="${y}">${entries.join('')}</text>`;
}
