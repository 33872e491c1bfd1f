import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCOPES } from '../../src/access/auth';
import { PROJECT_ROOT } from '../../src/common/project-root';
import { EVENTS } from '../../src/core/events';
import { fillTable } from './markdown-table';

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
    ...fillGuideTable('docs/guide/authentication.md', ['Scope', 'Permission'], scopeRows),
    ...fillGuideTable('docs/guide/webhooks.md', ['Event', 'Sent when', 'Scope'], eventRows),
  };
}

/** @throws Error if the page has no table with these headings */
function fillGuideTable(path: string, headings: string[], rows: string[][]): Record<string, string> {
  return { [path]: fillTable(readFileSync(join(PROJECT_ROOT, path), 'utf8'), headings, rows) };
}
