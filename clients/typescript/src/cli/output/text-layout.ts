/** Characters that fill two columns: East Asian wide ones, and emoji that are shown as pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /\p{M}|\u200d|\ufe0e|\ufe0f/u;
/** A colour that the program has set. Texts of others contain no escapes. */
// oxlint-disable-next-line no-control-regex
const STYLE = /\x1b\[\d+m/g;

/** Returns the columns that a text fills on a terminal. */
export function measureWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(STYLE, '')) {
    if (character >= '\u0300' && COMBINING.test(character)) continue;
    width += character >= '\u1100' && WIDE.test(character) ? 2 : 1;
  }
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - measureWidth(text)));
}

/** Breaks a paragraph between words. A longer word is broken only if it would fill more than a line. */
export function wrapText(text: string, width: number, indent = ''): string {
  if (!Number.isFinite(width)) return indent + text;
  const room = Math.max(8, width - measureWidth(indent));
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((part) => breakWord(part, room))) {
    if (line !== '' && measureWidth(line) + 1 + measureWidth(word) > room) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((one) => indent + one).join('\n');
}

/** Breaks a text between characters, into parts that fill at most `room` columns. */
export function breakWord(word: string, room: number): string[] {
  if (measureWidth(word) <= room) return [word];
  const parts: string[] = [];
  let part = '';
  for (const character of word) {
    if (measureWidth(part + character) > room) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part];
}

/** Cuts a text that fills more than `room` columns, with an ellipsis. */
export function cutText(text: string, room: number): string {
  return measureWidth(text) <= room ? text : `${breakWord(text, room - 1)[0]}…`;
}

/** Column of a table. Those with the highest `priority` are left out first if the table is too wide. */
export interface Column {
  title: string;
  /** 0: never left out. */
  priority?: number;
}

/** Formats a table for a width. If even its most important columns don't fit, each row becomes a block of lines. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): string {
  const order = [...new Set(columns.map(({ priority = 0 }) => priority))].sort((a, b) => b - a);
  for (const limit of [Infinity, ...order]) {
    const kept = columns.flatMap(({ priority = 0 }, index) => (priority < limit || limit === Infinity ? [index] : []));
    if (kept.length === 0) break;
    const table = alignColumns(
      [columns.map(({ title }) => title), ...rows].map((row) => kept.map((index) => row[index] ?? '')),
    );
    if (table.every((line) => measureWidth(line) <= width)) return table.join('\n');
  }
  return rows
    .map((row) =>
      formatFields(
        columns.map(({ title }, index) => [title, row[index] ?? '']),
        width,
      ),
    )
    .join('\n\n');
}

/** Formats one `Name  value` line for each pair. Long values continue below their beginning. */
export function formatFields(pairs: readonly (readonly [string, string])[], width: number): string {
  const indent = Math.max(...pairs.map(([name]) => measureWidth(name))) + 2;
  return pairs
    .map(([name, value]) => {
      const text = wrapText(value, width, ' '.repeat(indent));
      return (padEnd(name, indent) + text.slice(indent)).trimEnd();
    })
    .join('\n');
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => measureWidth(row[column]!))));
  return rows.map((row) =>
    row
      .map((cell, column) => padEnd(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
