import { roundStep } from './axis';
import { drawPanel, HEIGHT, LEFT, RIGHT, WIDTH, xOf, type Panel } from './panel';

const HEAD = 104;
const GAP = 58;
const FOOT = 74;

/** In the colours of docs/images, on a ground of its own, so that it can be read wherever it is shown. */
const STYLE = `
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

export interface Chart {
  title: string;
  /** What was done, in one line. */
  subtitle: string;
  /** Where and when it was measured. */
  source: string;
  panels: Panel[];
  /** How long the time axis is. */
  seconds: number;
}

/** Panels over one time axis. */
export function drawChart({ title, subtitle, source, panels, seconds }: Chart): string {
  const tops = panels.map((_, i) => HEAD + i * (HEIGHT + GAP));
  const foot = tops.at(-1)! + HEIGHT;
  const height = foot + FOOT;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t d"
     font-family="ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
  <title id="t">${escape(title)}</title>
  <desc id="d">${escape(`${subtitle} Panels: ${panels.map((panel) => panel.title).join('; ')}.`)}</desc>
  <style>${STYLE}
  </style>
<rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10"/>
<text class="title" x="${LEFT}" y="36">${escape(title)}</text>
<text class="small" x="${LEFT}" y="58">${escape(subtitle)}</text>
${panels.map((panel, i) => timeGrid(tops[i]!, seconds) + drawPanel(panel, tops[i]!, seconds)).join('\n')}
${timeLabels(foot, seconds)}
<text class="tick" x="${LEFT}" y="${height - 16}">${escape(source)}</text>
</svg>
`;
}

/** Seconds of a short run, minutes of a long one; about ten steps. */
function timeTicks(seconds: number): { unit: string; at: [second: number, label: string][] } {
  const [unit, length] = seconds < 180 ? (['seconds', 1] as const) : (['minutes', 60] as const);
  const step = roundStep(seconds / length / 10);
  const count = Math.floor(seconds / length / step + 1e-9);
  return {
    unit,
    at: Array.from({ length: count + 1 }, (_, i) => [i * step * length, String(Number((i * step).toFixed(2)))]),
  };
}

function timeGrid(top: number, seconds: number): string {
  const lines = timeTicks(seconds).at.map(([second]) => `M${xOf(second, seconds).toFixed(1)} ${top}v${HEIGHT}`);
  return `<path class="grid" d="${lines.join('')}"/>\n`;
}

function timeLabels(foot: number, seconds: number): string {
  const { unit, at } = timeTicks(seconds);
  const labels = at.map(
    ([second, label]) =>
      `<text class="tick middle" x="${xOf(second, seconds).toFixed(1)}" y="${foot + 16}">${label}</text>`,
  );
  const middle = (LEFT + WIDTH - RIGHT) / 2;
  return `${labels.join('\n')}\n<text class="unit" x="${middle}" y="${foot + 34}">${unit} since the load began</text>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
