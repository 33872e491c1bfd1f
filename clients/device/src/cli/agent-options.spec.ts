import { Command } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { addAgentOptions, collectAgent, createAgentOptions, type AgentCommandOptions } from './agent-options';

const folder = mkdtempSync(join(tmpdir(), 'agent-options-'));
const RULES_FILE = join(folder, 'rules.json');
writeFileSync(RULES_FILE, '{"rules": [{"decision": "deny", "kind": "execute"}]}');
afterAll(() => rmSync(folder, { recursive: true }));

function parseOptions(...argv: string[]) {
  const command = addAgentOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return createAgentOptions(command.parse(argv, { from: 'user' }).opts<AgentCommandOptions>());
}

describe('options of agents', () => {
  it('name an agent after its program, unless they name it', () => {
    expect(parseOptions('--agent', '/opt/bin/OpenCode.js acp', '--agent', 'cc=npx -y claude-agent')?.commands).toEqual([
      { name: 'opencode-js', command: ['/opt/bin/OpenCode.js', 'acp'], environmentNames: [], mode: null },
      { name: 'cc', command: ['npx', '-y', 'claude-agent'], environmentNames: [], mode: null },
    ]);
  });

  it('give each agent its own variables and its own mode, wherever they stand', () => {
    const options = parseOptions(
      ...['--agent-env', 'a=KEY, URL', '--agent-mode', 'b=https://example.com/modes#plan'],
      ...['--agent', 'a', '--agent', 'b', '--agent', 'c', '--agent-env', 'b=OTHER', '--agent-env', 'a=MORE'],
    );
    expect(options?.commands).toMatchObject([
      { name: 'a', environmentNames: ['KEY', 'URL', 'MORE'], mode: null },
      { name: 'b', environmentNames: ['OTHER'], mode: 'https://example.com/modes#plan' },
      { name: 'c', environmentNames: [], mode: null },
    ]);
  });

  it('need no name for the only agent', () => {
    const options = parseOptions('--agent', 'a', '--agent-env', 'KEY, URL', '--agent-mode', 'ask');
    expect(options?.commands).toMatchObject([{ environmentNames: ['KEY', 'URL'], mode: 'ask' }]);
  });

  it.each([
    [
      ['--agent', 'a', '--agent', 'b', '--agent-env', 'KEY'],
      '--agent-env NAME=VARIABLE,VARIABLE. The agents are: a, b.',
    ],
    [['--agent', 'a', '--agent', 'b', '--agent-mode', 'ask'], '--agent-mode NAME=MODE. The agents are: a, b.'],
    [['--agent', 'a', '--agent-mode', 'b=ask'], '--agent-mode is for "b", but the agents are: a.'],
    [['--agent', 'a', '--agent-mode', 'a=ask', '--agent-mode', 'plan'], 'twice for the agent "a"'],
    [['--agent', 'a', '--agent-mode', 'a='], '--agent-mode must not be empty.'],
    [['--agent', 'a', '--agent-env', 'a= , '], 'takes names of variables'],
    [['--agent-env', 'KEY'], '--agent-env needs an agent'],
  ])('refuse %j and say what is wrong', (argv, message) => {
    expect(() => parseOptions(...argv)).toThrow(message);
  });

  it('refuse the value of a variable without repeating it', () => {
    const parse = () => parseOptions('--agent', 'a', '--agent-env', 'KEY=the-secret');
    expect(parse).toThrow('takes names of variables');
    expect(parse).not.toThrow('the-secret');
  });

  it('read the rules of a file', () => {
    expect(parseOptions('--agent', 'a', '--rules', RULES_FILE)?.rules).toEqual([{ decision: 'deny', kind: 'execute' }]);
    expect(() => parseOptions('--agent', 'a', '--rules', `${RULES_FILE}.other`)).toThrow("can't be read");
  });

  it('let callers choose a deciding mode unless it is locked', () => {
    expect(parseOptions('--agent', 'a')?.locksMode).toBeUndefined();
    expect(parseOptions('--agent', 'a', '--lock-mode')?.locksMode).toBe(true);
  });

  it('have no policy by default, so that the service decides whether the device asks', () => {
    expect(parseOptions('--agent', 'a')?.permissions).toBeUndefined();
    expect(parseOptions('--agent', 'a', '--permissions', 'allow', '--permission-timeout', '5m')).toMatchObject({
      permissions: 'allow',
      permissionTimeoutMs: 300_000,
    });
  });

  it.each([
    [[], 4],
    [['--max-agents', '1'], 1],
    [['--max-agents', '64'], 64],
  ])('let as many agents run at a time as %j says', async (argv, count) => {
    const { provider } = parseOptions('--agent', 'a', ...argv)!;
    const { signal } = new AbortController();
    for (let index = 0; index < count; index++) await provider.reservePlace!(signal);
    await expect(provider.reservePlace!(signal)).rejects.toMatchObject({ code: 'busy' });
  });

  it.each([
    ['./bin/agent acp', [resolve('bin/agent'), 'acp']],
    ['bin/agent', [resolve('bin/agent')]],
    ['/opt/agent', ['/opt/agent']],
    ['agent ./file', ['agent', './file']],
  ])('resolve the program of %j in the working directory, but not names in the PATH', (text, command) => {
    expect(parseOptions('--agent', text)?.commands).toMatchObject([{ command }]);
  });

  it('are none without an agent', () => {
    expect(parseOptions('--permissions', 'ask')).toBeUndefined();
  });

  it.each([
    [['--agent', 'a', '--agent', 'a']],
    [['--agent', "'"]],
    [['--agent', '@@@']],
    [['--agent', 'a', '--permissions', 'always']],
    [['--agent', 'a', '--permission-timeout', '25h']],
    [['--agent', 'a', '--turn-timeout', '25d']],
    [['--agent', 'a', '--max-agents', '0']],
    [['--agent', 'a', '--max-agents', '65']],
    [['--agent', 'a', '--max-agents', '2.5']],
    [['--agent', 'a', '--allow-cwd', '']],
  ])('refuse %j', (argv) => {
    expect(() => parseOptions(...argv)).toThrow();
  });

  it('refuse a seventeenth agent', () => {
    const agents = Array.from({ length: 16 }, (_, index) => ({ name: `a${index}`, command: ['a'] }));
    expect(() => collectAgent('b', agents)).toThrow('at most 16');
  });
});
