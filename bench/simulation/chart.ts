/** A line: its points' y, one for each step of x, and how it is drawn. */
export interface Line {
  name: string;
  values: number[];
  /** 1 to 4. */
  colour: number;
  dashed?: boolean;
}

export interface Panel {
  title: string;
  lines: Line[];
  /** Of the scale; the largest value unless given. */
  most?: number;
  /** A level that is drawn across, such as what an instance can do. */
  level?: { value: number; name: string };
}

const WIDTH = 860;
const PANEL = 190;
const LEFT = 78;
const RIGHT = 14;
const TOP = 46;
const BETWEEN = 78;

const STYLE = `
    text { font-size: 13px; fill: #57606a }
    .title { font-size: 14px; font-weight: 600; fill: #24292f }
    .grid { stroke: #8c959f; stroke-opacity: .3; stroke-width: 1 }
    .level { stroke: #8c959f; stroke-width: 1.2; stroke-dasharray: 2 3 }
    .line { fill: none; stroke-width: 2; stroke-linejoin: round }
    .dashed { stroke-dasharray: 7 4 }
    .c1 { stroke: #1f6feb } .c2 { stroke: #d1730f } .c3 { stroke: #2e9a57 } .c4 { stroke: #b04ad0 }
    @media (prefers-color-scheme: dark) {
      text { fill: #9aa7b8 }
      .title { fill: #e6edf3 }
      .c1 { stroke: #58a6ff } .c2 { stroke: #f0a04b } .c3 { stroke: #56c984 } .c4 { stroke: #d08bf0 }
    }`;

/** Panels one below the other over the same seconds, as SVG that is read on light and dark ground. */
export function chart(title: string, seconds: number, panels: Panel[]): string {
  const height = TOP + panels.length * (PANEL + BETWEEN);
  const drawn = panels.map((panel, i) => drawPanel(panel, seconds, TOP + i * (PANEL + BETWEEN)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escape(title)}"
     font-family="ui-sans-serif, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif">
  <title>${escape(title)}</title>
  <style>${STYLE}
  </style>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel({ title, lines, most, level }: Panel, seconds: number, top: number): string {
  const values = lines.flatMap((line) => line.values);
  const limit = nice(most ?? Math.max(1, level?.value ?? 0, ...values));
  const x = (second: number) => LEFT + (second / seconds) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => top + PANEL - (Math.min(value, limit) / limit) * PANEL;
  return [
    text(0, top - 26, title, 'title'),
    ...legend(lines, top - 26, title),
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => rule(y(limit * part), short(limit * part))),
    ...ticks(seconds).map((second) => text(x(second), top + PANEL + 18, `${second} s`, '', 'middle')),
    ...(level ? [across(y(level.value)), text(WIDTH - RIGHT, y(level.value) - 5, level.name, '', 'end')] : []),
    ...lines.map((line) => path(line, x, y, seconds)),
  ]
    .map((each) => `  ${each}`)
    .join('\n');
}

function legend(lines: Line[], top: number, title: string): string[] {
  let at = title.length * 8 + 24;
  return lines.flatMap((line) => {
    const from = at;
    at += line.name.length * 7 + 54;
    return [
      `<path class="line c${line.colour}${line.dashed ? ' dashed' : ''}" d="M${from} ${top - 4}h26"/>`,
      text(from + 32, top, line.name),
    ];
  });
}

function path({ values, colour, dashed }: Line, x: (n: number) => number, y: (n: number) => number, seconds: number) {
  const points = values.slice(0, seconds + 1).map((value, i) => `${x(i).toFixed(1)} ${y(value).toFixed(1)}`);
  return `<path class="line c${colour}${dashed ? ' dashed' : ''}" d="M${points.join('L')}"/>`;
}

function rule(y: number, label: string): string {
  return `<path class="grid" d="M${LEFT} ${y.toFixed(1)}H${WIDTH - RIGHT}"/>${text(LEFT - 8, y + 4, label, '', 'end')}`;
}

function across(y: number): string {
  return `<path class="level" d="M${LEFT} ${y.toFixed(1)}H${WIDTH - RIGHT}"/>`;
}

function text(x: number, y: number, content: string, name = '', anchor = 'start'): string {
  const style = `${name ? ` class="${name}"` : ''}${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}`;
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${style}>${escape(content)}</text>`;
}

/** At most ten of them. */
function ticks(seconds: number): number[] {
  const step = nice(seconds / 10);
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, i) => i * step);
}

/** The next of 1, 2, 2.5, 5 times a power of ten. */
function nice(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= value * 0.999)!;
}

function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000} M`;
  return value >= 1_000 ? `${value / 1_000} k` : String(value);
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
