import { readDiffLines } from './diff-view';

describe('the lines of a unified diff', () => {
  it('are added, removed or context, and headers stay as they are', () => {
    expect(readDiffLines('--- a\n+++ a\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n')).toEqual([
      { kind: 'hunk', text: '--- a' },
      { kind: 'hunk', text: '+++ a' },
      { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
      { kind: 'context', text: 'same' },
      { kind: 'removed', text: 'old' },
      { kind: 'added', text: 'new' },
    ]);
  });

  it('are not taken for headers inside of a hunk', () => {
    const lines = readDiffLines('@@ -1 +1 @@\n--- old comment\n+++ new');
    expect(lines.slice(1)).toEqual([
      { kind: 'removed', text: '-- old comment' },
      { kind: 'added', text: '++ new' },
    ]);
  });

  it('of another file begin with a header again', () => {
    const kinds = readDiffLines('@@ -1 +1 @@\n+a\ndiff --git a/x b/x\n--- a/x\n@@ -1 +1 @@\n-b').map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(['hunk', 'added', 'hunk', 'hunk', 'hunk', 'removed']);
  });
});
