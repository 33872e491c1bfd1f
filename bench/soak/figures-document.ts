import { readFileSync, writeFileSync } from 'node:fs';

const BEGIN = '<!-- figures: npm run soak -- --doc -->';
const END = '<!-- end of figures -->';

/**
 * Writes the figures of a run between the two markers of a Markdown file.
 * @throws Error if the markers are missing
 */
export function writeFigures(file: string, figures: string): void {
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${file} has no markers for figures: ${BEGIN} … ${END}`);
  writeFileSync(file, `${text.slice(0, from)}${BEGIN}\n\n${figures}\n\n${text.slice(to)}`);
}
