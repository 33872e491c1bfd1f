import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillTable, renderTable } from '../../../tools/documents/markdown-table';
import { STEPS, type Step } from './steps';
import { TRIED_AGENTS, type InstalledAgent, type TriedAgent } from './tried-agents';

const PAGE = join(__dirname, '..', '..', '..', 'docs', 'agents.md');

/** What happened with one agent. A step without an outcome has failed. */
export interface TriedColumn {
  agent: TriedAgent;
  installed: InstalledAgent;
  outcomes: Map<Step, string>;
}

/** Prints the table of docs/agents.md and says whether the page contains it. With `UPDATE=1`, writes it there. */
export function reportTable(columns: readonly TriedColumn[]): void {
  const headings = ['Step', ...columns.map(({ agent }) => agent.title)];
  const rows = [
    ['Version', ...columns.map(({ installed }) => installed.version)],
    ['Node.js', ...columns.map(({ installed }) => installed.nodeVersion)],
    ...STEPS.map((step) => [step, ...columns.map(({ outcomes }) => outcomes.get(step) ?? '**failed**')]),
  ];
  const lines = [...renderTable(headings, rows), ''];
  if (columns.length < TRIED_AGENTS.length) lines.push('docs/agents.md has the table of all agents.');
  else lines.push(updatePage(headings, rows));
  process.stdout.write(`\n${lines.join('\n')}\n`);
}

function updatePage(headings: string[], rows: string[][]): string {
  const page = readFileSync(PAGE, 'utf8');
  const updated = fillTable(page, headings, rows);
  if (updated === page) return 'docs/agents.md has this table.';
  if (process.env.UPDATE !== '1') return 'docs/agents.md has another table. UPDATE=1 writes this one.';
  writeFileSync(PAGE, updated);
  return 'docs/agents.md has this table now. Check what it says below the table.';
}
