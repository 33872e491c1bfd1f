import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../project-root';
import { ERROR_CATALOG } from './error-catalog';

describe('ERROR_CATALOG', () => {
  it('has the codes and statuses of the table in docs/protocol/external-api.md', () => {
    const text = readFileSync(join(PROJECT_ROOT, 'docs/protocol/external-api.md'), 'utf8');
    const rows = [...text.matchAll(/^\| (\d{3}) {4}\| `(\w+)`/gm)].map(([, status, code]) => [code, Number(status)]);
    expect(rows).toEqual(Object.entries(ERROR_CATALOG).map(([code, { status }]) => [code, status]));
  });
});
