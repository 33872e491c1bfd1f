import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT_BUCKET_NAMES } from '../../access/rate-limiting';
import { PUBLIC_BODY_LIMITS } from '../../common/http';
import { PROJECT_ROOT } from '../../common/project-root';

const readPage = (page: string) => readFileSync(join(PROJECT_ROOT, 'docs', 'guide', `${page}.md`), 'utf8');

/** Returns the code words of the first column of the table under this heading row. */
function readFirstColumn(page: string, heading: string): string[] {
  const lines = readPage(page).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `));
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).flatMap((row) => [...row.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, word]) => word!));
}

describe('the guide', () => {
  it('counts and lists the buckets that the tokens of an account share', () => {
    const count = ['no', 'one', 'two', 'three', 'four', 'five'][ACCOUNT_BUCKET_NAMES.length];
    expect(readPage('limits')).toContain(`All tokens of an account share ${count} buckets:`);
    expect(readFirstColumn('limits', 'Bucket').sort()).toEqual([...ACCOUNT_BUCKET_NAMES].sort());
  });

  it('says how large the forms of OAuth clients may be', () => {
    expect(readPage('oauth')).toContain(`413 for a form above ${PUBLIC_BODY_LIMITS.bytes / 1_024} KiB`);
  });
});
