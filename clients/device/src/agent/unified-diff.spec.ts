import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatUnifiedDiff } from './unified-diff';
import { itWith } from '../../../../test/support/dependencies';

const folder = mkdtempSync(join(tmpdir(), 'unified-diff-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join('');

/** Applies the diff with Git and returns the file. */
function applyDiff(oldText: string, diff: string): string {
  const file = join(folder, 'file.txt');
  writeFileSync(file, oldText);
  execFileSync('git', ['apply', '-p0', '--unidiff-zero', '-'], { cwd: folder, input: diff });
  return readFileSync(file, 'utf8');
}

it('shows one hunk with three lines of context', () => {
  const oldText = lines(10);
  const diff = formatUnifiedDiff({ path: 'a.txt', oldText, newText: oldText.replace('line 5', 'changed') });
  expect(diff).toBe(
    '--- a.txt\n+++ a.txt\n@@ -3,7 +3,7 @@\n line 2\n line 3\n line 4\n-line 5\n+changed\n line 6\n line 7\n line 8\n',
  );
});

it('shows a new file, and nothing if nothing changed', () => {
  const diff = formatUnifiedDiff({ path: 'a.txt', oldText: null, newText: 'one\n' });
  expect(diff).toBe('--- /dev/null\n+++ a.txt\n@@ -0,0 +1,1 @@\n+one\n');
  expect(formatUnifiedDiff({ path: 'a.txt', oldText: 'x', newText: 'x' })).toBe('');
});

itWith('git').each([
  ['a change at the start', lines(9), `new\n${lines(9).slice(7)}`],
  ['a change at the end', lines(9), `${lines(8)}end\n`],
  ['changes in two places', lines(20), lines(20).replace('line 2\n', '').replace('line 15', 'x')],
  ['an insertion between equal lines', 'a\na\na\n', 'a\na\na\na\n'],
  ['a deletion of everything but one line', lines(5), 'line 3\n'],
  ['no line feed at the end any more', 'a\nb\n', 'a\nb'],
  ['a line feed at the end now', 'a\nb', 'a\nb\n'],
])('can be applied: %s', (_, oldText, newText) => {
  const diff = formatUnifiedDiff({ path: 'file.txt', oldText, newText });
  expect(applyDiff(oldText, diff)).toBe(newText);
});
