import { roundStep } from './axis';
import { drawPanel, PLOT_HEIGHT, PLOT_LEFT, PLOT_RIGHT, CHART_WIDTH, toChartX, type ChartPanel } from './panel';

const HEADER_HEIGHT = 104;
const PANEL_GAP = 58;
const FOOTER_HEIGHT = 74;

/** Uses the colours of docs/images and its own background, so that the chart is readable on every page. */
const CHART_STYLE = `
    .ground { fill: #ffffff; stroke: #d5dae1 }
    .title { font-size: 18px; font-weight: 600; fill: #1c2430 }
    .name { font-size: 14px; font-weight: 600; fill: #1c2430 }
    .small, .key { font-size: 12px; fill: #4a5565 }
    .tick, .unit { font-size: 11.5px; fill: #6e7b8c }
    .end { text-anchor: end }
    .unit, .middle { text-anchor: middle }
    .grid { stroke: #e3e7ec; stroke-width: 1 }
    .line { fill: none; stroke-width: 1.5; stroke-linejoin: round }
    .blue { stroke: #2f6fd0 } .blue.dot, .blue.mark { fill: #2f6fd0; stroke: none }
    .green { stroke: #2e9a57 } .green.dot, .green.mark { fill: #2e9a57; stroke: none }
    .orange { stroke: #d07a1c } .orange.dot, .orange.mark { fill: #d07a1c; stroke: none }
    .red { stroke: #cc3340 } .red.dot, .red.mark { fill: #cc3340; stroke: none }
    .grey { stroke: #7c8798; stroke-dasharray: 5 4 } .grey.mark { fill: #7c8798; stroke: none }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #12171f; stroke: #2c3542 }
      .title, .name { fill: #e8edf4 }
      .small, .key { fill: #b3bdca }
      .tick, .unit { fill: #93a0b1 }
      .grid { stroke: #29323f }
      .blue { stroke: #6ea3f2 } .blue.dot, .blue.mark { fill: #6ea3f2 }
      .green { stroke: #55c285 } .green.dot, .green.mark { fill: #55c285 }
      .orange { stroke: #f0a04b } .orange.dot, .orange.mark { fill: #f0a04b }
      .red { stroke: #f2727d } .red.dot, .red.mark { fill: #f2727d }
    }`;

export interface SoakChart {
  title: string;
  /** One line about the method. */
  subtitle: string;
  /** Time and machine of the measurement. */
  source: string;
  panels: ChartPanel[];
  /** Length of the time axis. */
  seconds: number;
}

/** Draws panels over one time axis as SVG. */
export function drawChart({ title, subtitle, source, panels, seconds }: SoakChart): string {
  const tops = panels.map((_, i) => HEADER_HEIGHT + i * (PLOT_HEIGHT + PANEL_GAP));
  const foot = tops.at(-1)! + PLOT_HEIGHT;
  const height = foot + FOOTER_HEIGHT;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CHART_WIDTH} ${height}" role="img"
     aria-labelledby="t d" font-family="ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
  <title id="t">${escapeXml(title)}</title>
  <desc id="d">${escapeXml(`${subtitle} Panels: ${panels.map((panel) => panel.title).join('; ')}.`)}</desc>
  <style>${CHART_STYLE}
  </style>
<rect class="ground" x="0.5" y="0.5" width="${CHART_WIDTH - 1}" height="${height - 1}" rx="10"/>
<text class="title" x="${PLOT_LEFT}" y="36">${escapeXml(title)}</text>
<text class="small" x="${PLOT_LEFT}" y="58">${escapeXml(subtitle)}</text>
${panels.map((panel, i) => drawTimeGrid(tops[i]!, seconds) + drawPanel(panel, tops[i]!, seconds)).join('\n')}
${drawTimeLabels(foot, seconds)}
<text class="tick" x="${PLOT_LEFT}" y="${height - 16}">${escapeXml(source)}</text>
</svg>
`;
}

/** Returns about ten ticks: in seconds for a short run, in minutes for a long one. */
function createTimeTicks(seconds: number): { unit: string; at: [second: number, label: string][] } {
  const [unit, length] = seconds < 180 ? (['seconds', 1] as const) : (['minutes', 60] as const);
  const step = roundStep(seconds / length / 10);
  const count = Math.floor(seconds / length / step + 1e-9);
  return {
    unit,
    at: Array.from({ length: count + 1 }, (_, i) => [i * step * length, String(Number((i * step).toFixed(2)))]),
  };
}

function drawTimeGrid(top: number, seconds: number): string {
  const lines = createTimeTicks(seconds).at.map(
    ([second]) => `M${toChartX(second, seconds).toFixed(1)} ${top}v${PLOT_HEIGHT}`,
  );
  return `<path class="grid" d="${lines.join('')}"/>\n`;
}

function drawTimeLabels(foot: number, seconds: number): string {
  const { unit, at } = createTimeTicks(seconds);
  const labels = at.map(
    ([second, label]) =>
      `<text class="tick middle" x="${toChartX(second, seconds).toFixed(1)}" y="${foot + 16}">${label}</text>`,
  );
  const middle = (PLOT_LEFT + CHART_WIDTH - PLOT_RIGHT) / 2;
  return `${labels.join('\n')}\n<text class="unit" x="${middle}" y="${foot + 34}">${unit} since the load began</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
