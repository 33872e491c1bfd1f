import { formatArtifactTitle, summarizePatch } from './artifact-title';

const file = (name: string, ...lines: string[]) =>
  [`diff --git a/${name} b/${name}`, `--- a/${name}`, `+++ b/${name}`, '@@ -1,9 +1,9 @@', ...lines, ''].join('\n');
const PATCH = `${file('src/total.ts', ' same', '-old', '+new', '+--- more', '--- comment')}${file('b.ts', '+x')}`;
const PATCH_TAG = 'ses_01m/turn_01m.patch';

describe('the title of an artifact', () => {
  it.each([
    [PATCH_TAG, 3, PATCH, 'Changes of turn 3: total.ts and b.ts, +3 −2'],
    [PATCH_TAG, 3, null, 'Changes of turn 3'],
    [PATCH_TAG, null, file('a\u202eb', '+x'), 'Changes of a turn: a\\u{202e}b, +1 −0'],
    ['ses_01m/turn_01m/2.png', 1, null, 'File 2 of turn 1'],
    ['ses_01m/turn_01m/message-1', 4, null, 'Attachment 1 of turn 4'],
    ['report\u202e.patch', null, PATCH, 'report\\u{202e}.patch'],
    ['ses_01m/other/turn_01m.patch', 3, PATCH, 'ses_01m/other/turn_01m.patch'],
  ])('of %j is what people call it', (tag, turnNumber, patch, title) => {
    expect(formatArtifactTitle(tag, turnNumber, patch)).toBe(title);
  });

  it('counts the files after the first one', () => {
    expect(summarizePatch(['a', 'b', 'c'].map((name) => file(name, '+x')).join(''))).toBe('a and 2 more, +3 −0');
    expect(summarizePatch(file('a "b" c', '-x'))).toBe('a "b" c, +0 −1');
    expect(summarizePatch('no patch')).toBe('');
  });
});
