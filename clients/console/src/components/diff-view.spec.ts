import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { DiffView, readDiffFiles } from './diff-view';

const readLines = (diff: string) => readDiffFiles(diff).flatMap(({ lines }) => lines);
const summarize = (diff: string) =>
  readDiffFiles(diff).map(({ path, added, removed, lines }) => [path, added, removed, lines.length]);

describe('the lines of a unified diff', () => {
  it('are added, removed or context, and headers stay as they are', () => {
    expect(readLines('--- a\n+++ a\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n')).toEqual([
      { kind: 'hunk', text: '--- a' },
      { kind: 'hunk', text: '+++ a' },
      { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
      { kind: 'context', text: 'same' },
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
    ]);
  });

  it('are not taken for headers inside of a hunk', () => {
    const lines = readLines('@@ -1 +1 @@\n--- old comment\n+++ new');
    expect(lines.slice(1)).toEqual([
      { kind: 'removed', text: '-- old comment' },
      { kind: 'added', text: '++ new' },
    ]);
  });

  it('of another file begin with a header again', () => {
    const kinds = readLines('@@ -1 +1 @@\n+a\ndiff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n-b').map(({ kind }) => kind);
    expect(kinds).toEqual(['hunk', 'added', 'hunk', 'hunk', 'hunk', 'removed']);
  });

  it('are all there, also of text that is no diff', () => {
    const diff = '\n@@\n\\ No newline\n@@ x\n\n diff --git\n+\n';
    expect(readLines(diff).map(({ text }) => text)).toEqual(['', '@@', '\\ No newline', '@@ x', '', 'diff --git', '']);
    expect(readDiffFiles('')).toEqual([]);
  });
});

describe('the files of a unified diff', () => {
  it('are those of Git, new, deleted and renamed ones included', () => {
    const diff = [
      'diff --git a/new.ts b/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+a\n',
      'diff --git a/old.ts b/old.ts\ndeleted file mode 100644\n--- a/old.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
      'diff --git a/b c b/d e\nsimilarity index 100%\nrename from b c\nrename to d e\n',
      'diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n',
    ].join('');
    expect(summarize(diff)).toEqual([
      ['new.ts', 1, 0, 6],
      ['old.ts', 0, 1, 6],
      ['d e', 0, 0, 4],
      ['x.png', 0, 0, 2],
    ]);
  });

  it('are those of other programs, which have no line before the names', () => {
    expect(summarize('--- /a.js\n+++ /a.js\n@@ -1 +1 @@\n-1\n+2\n--- a/b.js\n+++ b/b.js\n@@ -1 +1 @@\n 3\n')).toEqual([
      ['/a.js', 1, 1, 5],
      ['b.js', 0, 0, 4],
    ]);
  });
});

it('folds the files of a diff with more than 20 of them, and a file of more than 300 lines', () => {
  const isOpen = (fileCount: number, lineCount: number) => {
    const file = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n${'+a\n'.repeat(lineCount - 4)}`;
    return render(h(DiffView, { diff: file.repeat(fileCount) })).includes('class="diff-lines"');
  };
  expect([isOpen(20, 5), isOpen(21, 5), isOpen(1, 300), isOpen(1, 301)]).toEqual([true, false, true, false]);
});
