import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseRules } from './permission-rule';
import { RuleSet } from './rule-set';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'rules-')));
const app = join(root, 'app');
mkdirSync(app);
symlinkSync(root, join(app, 'out'));
symlinkSync(join(root, 'nowhere'), join(app, 'dangling'));
symlinkSync(app, join(root, 'linked'));
afterAll(() => rmSync(root, { recursive: true }));

const createRules = (...rules: object[]) => new RuleSet(parseRules({ rules }));
const createRequest = (change: object) => ({
  ...{ kind: 'execute', title: 'x', input: null, paths: [], mentionedPaths: [] },
  ...change,
});
const run = (rules: RuleSet, command: unknown, input: object = {}) =>
  rules.findRule(createRequest({ input: { command, ...input } }), app);
const edit = (rules: RuleSet, ...paths: (string | null)[]) =>
  rules.findRule(createRequest({ kind: 'edit', paths }), app);

describe('a command that is allowed', () => {
  const rules = createRules({ decision: 'allow', command: ['git', 'push'] });

  it.each(['git push', 'git push origin main', ['git', 'push'], ['bash', '-lc', 'git push'], "git 'push'"])(
    'fits %j',
    async (command) => {
      expect(await run(rules, command)).toEqual({ decision: 'allow', number: 1 });
    },
  );

  it.each([
    'git pushy',
    'git -c core.pager=x push',
    './git push',
    '/tmp/git push',
    'GIT_SSH=x git push',
    'sudo git push',
    'git push && rm x',
    'git push; rm x',
    'git push | sh',
    'git push $(rm x)',
    'git push\nrm x',
    'bash -c "git push; rm x"',
    '/tmp/bash -c "git push"',
    'bash --rcfile /tmp/x -c "git push"',
    'git',
    ['git push'],
    ['git', 1],
    { command: 'git push' },
  ])('does not fit %j', async (command) => {
    expect(await run(rules, command)).toBeNull();
  });

  it('does not fit one that is only named in a title', async () => {
    expect(await rules.findRule(createRequest({ title: 'git push', input: 'git push' }), app)).toBeNull();
  });

  it('does not fit another tool, nor a line of a rule without a command that is not plain', async () => {
    expect(await edit(rules, join(app, 'a'))).toBeNull();
    const all = createRules({ decision: 'allow', kind: 'execute' });
    expect(await run(all, 'make test')).toEqual({ decision: 'allow', number: 1 });
    expect(await run(all, 'make test > log')).toBeNull();
  });
});

describe('a command that is denied', () => {
  const rules = createRules(
    { decision: 'allow', command: ['git', 'push'] },
    { decision: 'deny', command: ['git', 'push', '--force'] },
    { decision: 'deny', command: ['rm'] },
  );

  it.each([
    ['git push --force', 2],
    ['git push origin main --force', 2],
    ['git -C /x push --force', 2],
    ['git push --force=x', 2],
    ['sudo git push --force', 2],
    ['A=b git push --force', 2],
    ['git status && git push --force', 2],
    ['rm x', 3],
    ['/bin/rm x', 3],
    ['nice -n 5 rm x', 3],
    ['true; r""m x', 3],
    ['bash -c "cd a && rm x"', 3],
    [['bash', '-c', 'rm x'], 3],
    ['/tmp/bash --rcfile /tmp/x -c "rm x"', 3],
    [['sudo', 'rm', 'x'], 3],
    ['timeout 60 bash -c "git push --force"', 2],
    ["sudo sh -c 'cd a && rm x'", 3],
    ['A=1 bash -c "rm x"', 3],
    ['eval "rm x"', 3],
    ['env -S "rm x"', 3],
    ['xargs sh -c "rm x"', 3],
    ["bash -cx 'rm x'", 3],
    ["bash -c -e 'rm x'", 3],
    [['timeout', '60', 'bash', '-c', 'rm x'], 3],
  ])('is %j', async (command, number) => {
    expect(await run(rules, command)).toEqual({ decision: 'deny', number });
  });

  it.each(['git push', 'git push origin', "git push -o 'x rm y'"])('is not %j', async (command) => {
    expect(await run(rules, command)).toEqual({ decision: 'allow', number: 1 });
  });

  it('is not what only mentions it', async () => {
    expect(await run(rules, 'git commit -m "push --force"')).toBeNull();
    expect(await run(rules, 'sudo git commit -m "rm x"')).toBeNull();
    expect(await run(rules, 'grep rm x')).toBeNull();
  });

  it('is also one that is only named in a title', async () => {
    const request = createRequest({ title: 'rm -rf x [in /srv]', input: null });
    expect(await rules.findRule(request, app)).toEqual({ decision: 'deny', number: 3 });
  });

  it('is asked about where the line hides what it runs', async () => {
    expect(await run(rules, 'git push $FLAGS')).toEqual({ decision: 'ask', number: 2 });
  });
});

it('takes the strictest rule, in whatever order they are', async () => {
  const rules = createRules(
    { decision: 'allow' },
    { decision: 'ask', kind: 'edit' },
    { decision: 'deny', folder: '/etc' },
  );
  expect(await edit(rules, '/etc/passwd')).toEqual({ decision: 'deny', number: 3 });
  expect(await edit(rules, '/srv/x')).toEqual({ decision: 'ask', number: 2 });
  expect(await run(rules, 'make')).toEqual({ decision: 'allow', number: 1 });
});

describe('a folder', () => {
  const rules = createRules({ decision: 'allow', folder: app });
  const deny = createRules({ decision: 'deny', folder: app });

  it.each([
    ['a file in it', ['a.ts']],
    ['a new file below it', [join(app, 'new', 'a.ts')]],
    ['the folder itself', [app]],
  ])('allows %s', async (_, paths) => {
    expect(await edit(rules, ...paths)).toEqual({ decision: 'allow', number: 1 });
    expect(await edit(deny, ...paths)).toEqual({ decision: 'deny', number: 1 });
  });

  it.each([
    ['a file beside it', ['../b']],
    ['a link that leads out of it', ['out/b']],
    ['one of two files', ['a.ts', join(root, 'b')]],
    ['a link that leads nowhere', ['dangling']],
    ['a path that is too long', [null]],
    ['no file', []],
  ])('does not allow %s', async (_, paths) => {
    expect(await edit(rules, ...paths)).toBeNull();
  });

  it('may be named by a link', async () => {
    for (const decision of ['allow', 'deny']) {
      const linked = createRules({ decision, folder: join(root, 'linked') });
      expect(await edit(linked, 'a.ts')).toEqual({ decision, number: 1 });
      expect(await edit(linked, join(root, 'b'))).toBeNull();
    }
  });

  it('denies what may be in it', async () => {
    expect(await edit(deny)).toEqual({ decision: 'deny', number: 1 });
    expect(await edit(deny, null)).toEqual({ decision: 'deny', number: 1 });
    expect(await edit(deny, join(root, 'b'))).toBeNull();
  });

  it('compares what the input names beside the files, such as the new place of one', async () => {
    const move = (set: RuleSet, mentionedPath: string | null) =>
      set.findRule(createRequest({ kind: 'edit', paths: ['a.ts'], mentionedPaths: [mentionedPath] }), app);
    expect(await move(rules, 'b.ts')).toEqual({ decision: 'allow', number: 1 });
    for (const uncertain of ['../b.ts', null]) expect(await move(rules, uncertain)).toBeNull();
    const elsewhere = createRules({ decision: 'deny', folder: join(root, 'secrets') });
    expect(await move(elsewhere, '../secrets/b.ts')).toEqual({ decision: 'deny', number: 1 });
    expect(await move(elsewhere, 'b.ts')).toBeNull();
    const onlyMentioned = createRequest({ kind: 'edit', mentionedPaths: ['a.ts'] });
    expect(await rules.findRule(onlyMentioned, app)).toBeNull();
  });

  it('does not concern a call without files, and is asked about for a tool that may do anything', async () => {
    const ask = createRules({ decision: 'ask', folder: app });
    const find = (set: RuleSet, kind: string, mentionedPaths: string[] = []) =>
      set.findRule(createRequest({ kind, mentionedPaths }), app);
    for (const kind of ['fetch', 'think', 'switch_mode']) {
      expect(await find(deny, kind)).toBeNull();
      expect(await find(ask, kind)).toBeNull();
      expect(await find(deny, kind, ['a.ts'])).toEqual({ decision: 'deny', number: 1 });
    }
    expect(await find(deny, 'other')).toEqual({ decision: 'ask', number: 1 });
    expect(await find(ask, 'other')).toEqual({ decision: 'ask', number: 1 });
    expect(await find(deny, 'other', ['a.ts'])).toEqual({ decision: 'deny', number: 1 });
    for (const kind of ['read', 'delete', 'move', 'search'])
      expect(await find(deny, kind)).toEqual({ decision: 'deny', number: 1 });
  });

  it("is that of a command: its own, or else the session's", async () => {
    expect(await run(rules, 'make')).toEqual({ decision: 'allow', number: 1 });
    expect(await run(rules, 'make', { cwd: root })).toBeNull();
    expect(await run(rules, 'make', { workdir: 'sub' })).toEqual({ decision: 'allow', number: 1 });
    const read = (cwd: string) =>
      rules.findRule(createRequest({ input: { command: 'cat a', cwd }, mentionedPaths: ['a'] }), root);
    expect(await read(app)).toEqual({ decision: 'allow', number: 1 });
    expect(await read(root)).toBeNull();
  });
});
