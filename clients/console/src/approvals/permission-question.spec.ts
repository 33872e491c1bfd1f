import { readPermissionQuestion } from './permission-question';

const CONTENT = {
  title: 'Run the tests',
  tool: 'execute',
  input: { command: 'npm test' },
  options: [
    { optionId: 'o1', name: 'Allow', kind: 'allow_once' },
    { optionId: 'o2', name: 'No', kind: 'reject_once' },
  ],
};
const read = (changes: object = {}) =>
  readPermissionQuestion(new TextEncoder().encode(JSON.stringify({ ...CONTENT, ...changes })));

describe('the question of an agent', () => {
  it('shows a command as a command line, and the rest of the input beside it', () => {
    expect(read()).toMatchObject({ title: 'Run the tests', command: 'npm test', input: '', isTruncated: false });
    const { command, input } = read({ input: { command: ['rm', '-rf', 'my folder'], cwd: '/' } });
    expect([command, input]).toEqual([`rm -rf 'my folder'`, '{\n  "cwd": "/"\n}']);
  });

  it.each([
    [{ path: 'a' }, '{\n  "path": "a"\n}'],
    [{ command: [1] }, '{\n  "command": [\n    1\n  ]\n}'],
    ['text', 'text'],
    [[1], '[\n  1\n]'],
    [null, ''],
    [{}, ''],
    [false, 'false'],
  ])('leaves out no part of the input: %j', (input, text) => {
    expect(read({ input })).toMatchObject({ command: null, input: text });
  });

  it('hides no character', () => {
    const question = read({ title: 'a\u202eb', input: { command: 'x\u200b' }, diff: '+a\u2066', tool: 'exe\u0007' });
    expect(question).toMatchObject({
      title: 'a\\u{202e}b',
      command: 'x\\u{200b}',
      diff: '+a\\u{2066}',
      tool: 'exe\\u{7}',
    });
  });

  it.each([
    ['[... 812 bytes left out ...]', true],
    ['x [… 20 characters left out]', true],
    ['[… deeper values left out …]', true],
    ['nothing was left out', false],
  ])('says whether parts are left out: %s', (title, isTruncated) => {
    expect(read({ title }).isTruncated).toBe(isTruncated);
  });

  it.each([
    { title: 1 },
    { tool: null },
    { options: [] },
    { options: [null] },
    { options: [{ name: 'Allow' }] },
    { diff: {} },
  ])('is unreadable without what a decision needs: %j', (changes) => {
    expect(() => read(changes)).toThrow('not in the expected form');
  });

  it('is unreadable if it is not UTF-8', () => {
    expect(() => readPermissionQuestion(Uint8Array.of(0x22, 0xff, 0x22))).toThrow();
  });
});
