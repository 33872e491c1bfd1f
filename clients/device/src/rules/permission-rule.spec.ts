import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRules, readRulesFile } from './permission-rule';

const folder = mkdtempSync(join(tmpdir(), 'rules-'));
const file = join(folder, 'rules.json');
afterAll(() => rmSync(folder, { recursive: true }));

it('reads a file of rules', () => {
  const rules = [
    { decision: 'allow', kind: 'execute', command: ['git', 'status'], folder: '/srv/app' },
    { decision: 'deny' },
  ];
  writeFileSync(file, JSON.stringify({ rules }));
  expect(readRulesFile(file)).toEqual(rules);
});

it.each([
  ['no object', []],
  ['no rules', {}],
  ['another member', { rules: [], version: 1 }],
  ['a rule that is none', { rules: [null] }],
  ['no decision', { rules: [{ kind: 'execute' }] }],
  ['an unknown decision', { rules: [{ decision: 'permit' }] }],
  ['an unknown kind', { rules: [{ decision: 'allow', kind: 'run' }] }],
  ['an unknown member', { rules: [{ decision: 'allow', comand: ['git'] }] }],
  ['a command that is text', { rules: [{ decision: 'allow', command: 'git status' }] }],
  ['an empty command', { rules: [{ decision: 'allow', command: [] }] }],
  ['a command with several words in one', { rules: [{ decision: 'deny', command: ['git push'] }] }],
  ['a relative folder', { rules: [{ decision: 'allow', folder: 'app' }] }],
  ['too many rules', { rules: Array.from({ length: 257 }, () => ({ decision: 'ask' })) }],
])('refuses %s', (_, value) => {
  expect(() => parseRules(value)).toThrow(/must be|needs|unknown|at most/);
});

it('says which rule is wrong', () => {
  expect(() => parseRules({ rules: [{ decision: 'ask' }, { decision: 'deny', kind: 'x' }] })).toThrow('Rule 2');
});

it.each([
  ['is missing', () => join(folder, 'none.json'), "can't be read"],
  ['is not JSON', () => (writeFileSync(file, '{rules'), file), 'not JSON'],
])('refuses a file that %s', (_, getPath, message) => {
  expect(() => readRulesFile(getPath())).toThrow(message);
});
