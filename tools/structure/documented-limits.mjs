import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';

const PAGE = 'docs/architecture.md';
/**
 * Returns the figures whose limit differs from that of the page's table, and rows without a figure.
 * @param heading how the table begins
 */
export function findWrongLimits(results, heading = '| Figure ') {
  const lines = readFileSync(join(root, PAGE), 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(heading)) + 2;
  const rows = lines.slice(start, lines.indexOf('', start)).map((line) => line.split('|').map((cell) => cell.trim()));
  const documented = new Map(rows.map(([, figure, , limit]) => [toPlainText(figure), Number(limit)]));
  const limits = new Map(results.filter(({ limit }) => limit !== Infinity).map(({ name, limit }) => [name, limit]));
  const names = [...new Set([...documented.keys(), ...limits.keys()])];
  return names
    .filter((name) => documented.get(name) !== limits.get(name))
    .map((name) => ({ path: PAGE, name: `${name}: ${documented.get(name)} instead of ${limits.get(name)}` }));
}

/** Returns the text of a cell without marks of code and links. */
const toPlainText = (markdown) => markdown.replaceAll('`', '').replace(/\[([^\][]*)\]\([^()]*\)/g, '$1');
