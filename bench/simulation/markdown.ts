/** A column: its head, and whether it holds numbers. */
export type Head = string | { right: string };

/** A table as Prettier writes it. */
export function table(heads: Head[], rows: string[][]): string {
  const titles = heads.map((head) => (typeof head === 'string' ? head : head.right));
  const isRight = heads.map((head) => typeof head !== 'string');
  const widths = titles.map((title, i) => Math.max(3, title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, i) => (isRight[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join(' | ')} |`;
  const rule = widths.map((width, i) => (isRight[i] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}

/** Three digits that count, and commas between thousands. */
export function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return digits.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** In powers of a thousand. */
export function bytes(value: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)));
  return `${number(value / 1_000 ** power)} ${UNITS[power]}`;
}

const BLOCK = /<!-- simulate:(\S+) -->\n[\s\S]*?<!-- \/simulate -->/g;

/** The text with the contents of its blocks made anew. @throws Error where a block is unknown or one is missing */
export function fillIn(text: string, blocks: Readonly<Record<string, string>>): string {
  const found = new Set<string>();
  const filled = text.replace(BLOCK, (_, name: string) => {
    if (blocks[name] === undefined) throw new Error(`nothing is called ${name}`);
    found.add(name);
    return `<!-- simulate:${name} -->\n\n${blocks[name]}\n\n<!-- /simulate -->`;
  });
  const missing = Object.keys(blocks).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`the text has no place for ${missing.join(', ')}`);
  return filled;
}
