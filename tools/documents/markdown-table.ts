/** Returns the page with these rows in place of those of its table with these headings. @throws Error without one */
export function fillTable(page: string, headings: readonly string[], rows: readonly string[][]): string {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => readCells(line).join() === headings.join());
  if (start < 0) throw new Error(`The page has no table with the headings ${headings.join(', ')}.`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  lines.splice(start, length, ...renderTable(headings, rows));
  return lines.join('\n');
}

/** Renders a Markdown table with columns of equal width, as the formatter does. */
export function renderTable(headings: readonly string[], rows: readonly string[][]): string[] {
  const widths = headings.map((_, column) => Math.max(...[headings, ...rows].map((cells) => cells[column]!.length)));
  const renderRow = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  return [headings, widths.map((width) => '-'.repeat(width)), ...rows].map(renderRow);
}

const readCells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
