import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCOPES } from '../../src/access/auth';
import { PROJECT_ROOT } from '../../src/common/project-root';
import { EVENTS } from '../../src/core/events';

/** Fills the tables of the guide that list what manifests declare. Returns the pages by path. */
export function fillGuideTables(): Record<string, string> {
  const scopes = Object.entries(SCOPES).filter(([, { group }]) => group);
  const scopeRows = scopes.map(([scope, { description, isPatOnly }]) => [
    `\`${scope}\``,
    isPatOnly ? `${description}; only for personal access tokens` : description,
  ]);
  const eventRows = Object.entries(EVENTS).map(([type, { when, access }]) => [
    `\`${type}\``,
    when,
    access === 'no app' ? 'none; not for apps' : access ? `\`${access}\`` : 'none',
  ]);
  return {
    ...fillTable('docs/guide/authentication.md', ['Scope', 'Permission'], scopeRows),
    ...fillTable('docs/guide/webhooks.md', ['Event', 'Sent when', 'Scope'], eventRows),
  };
}

/** @throws Error if the page has no table with these headings */
function fillTable(path: string, headings: string[], rows: string[][]): Record<string, string> {
  const lines = readFileSync(join(PROJECT_ROOT, path), 'utf8').split('\n');
  const start = lines.findIndex((line) => readCells(line).join() === headings.join());
  if (start < 0) throw new Error(`${path}: no table with the headings ${headings.join(', ')}`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  lines.splice(start, length, ...renderTable([headings, ...rows]));
  return { [path]: lines.join('\n') };
}

const readCells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Renders a Markdown table with columns of equal width, as the formatter does. */
function renderTable([headings, ...rows]: string[][]): string[] {
  const widths = headings!.map((_, column) => Math.max(...[headings!, ...rows].map((cells) => cells[column]!.length)));
  const renderRow = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
  return [headings!, widths.map((width) => '-'.repeat(width)), ...rows].map(renderRow);
}
