import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '../support/temp-folder';

const CHECK = join(__dirname, '..', '..', 'tools', 'check-regular-expressions.mjs');

describe('the check of regular expressions', () => {
  let folder: string;
  beforeEach(() => {
    folder = createTempFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function check(files: Record<string, string>) {
    for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
    const { status, stdout, stderr } = spawnSync(process.execPath, [CHECK, folder], { encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  it('refuses exponential and polynomial ones, literal, combined or imported', () => {
    const { status, stderr } = check({
      'literal.ts': String.raw`export const types = /^\w+(\s*;\s*\w+=[\x20-\x7e]+)*$/;`,
      'parts.ts': "export const PART = '(a+)';",
      'imported.ts': "import { PART } from './parts';\nexport const some = new RegExp(`^${PART}+$`);",
      'joined.mjs': "export const any = RegExp(['(b|b)*', 'c'].join(''));",
      'method.mjs': "export const find = (text) => text.match('(a+)+$');",
      'trailing.tsx': String.raw`export const trim = (text) => text.replace(/\s+$/, '');`,
    });
    expect(status).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/imported\.ts:2: exponential: new RegExp\(/),
      expect.stringMatching(/joined\.mjs:1: exponential: RegExp\(/),
      expect.stringMatching(/literal\.ts:1: exponential: /),
      expect.stringMatching(/method\.mjs:1: exponential: text\.match/),
      expect.stringMatching(/trailing\.tsx:1: polynomial: /),
    ]);
  });

  it('refuses one whose text is known only at run time', () => {
    const inner = "const A = 'x';\nexport const find = (A) => new RegExp(A);";
    const dynamic = 'export const find = (text) => new RegExp(text);';
    const { status, stderr } = check({ 'dynamic.ts': dynamic, 'inner.ts': inner });
    expect([status, stderr.trim().split('\n')]).toEqual([
      1,
      [
        expect.stringMatching(/dynamic\.ts:1: not constant: new RegExp\(text\)/),
        expect.stringMatching(/inner\.ts:2: not constant: new RegExp\(A\)/),
      ],
    ]);
  });

  it('accepts linear ones, and leaves out tests', () => {
    const { status, stdout } = check({
      'linear.ts': String.raw`export const id = /^[a-z]{3}_[0-9a-z]{26}$/, word = new RegExp('\\bword\\b', 'i');`,
      'some.spec.ts': 'export const evil = /(a+)+$/;',
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('2 regular expressions')]);
  });
});
