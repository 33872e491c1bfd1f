import { Command } from 'commander';
import { resolve } from 'node:path';
import { addAgentOptions, collectAgent, createAgentOptions, type AgentCommandOptions } from './agent-options';

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

  it('give every agent the same variables and mode', () => {
    const options = parseOptions('--agent', 'a', '--agent', 'b', '--agent-env', 'KEY, URL', '--agent-mode', 'ask');
    expect(options?.commands).toMatchObject([
      { environmentNames: ['KEY', 'URL'], mode: 'ask' },
      { environmentNames: ['KEY', 'URL'], mode: 'ask' },
    ]);
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
