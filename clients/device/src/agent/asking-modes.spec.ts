import { findAskingMode, findModeTable, isDecidingMode } from './asking-modes';

/** What the newest versions of the agents call themselves, and the modes that they offer. */
const AGENTS = [
  {
    name: '@agentclientprotocol/claude-agent-acp',
    asks: ['default', 'plan'],
    decides: ['auto', 'acceptEdits', 'dontAsk', 'bypassPermissions'],
  },
  {
    name: '@agentclientprotocol/codex-acp',
    asks: ['read-only', 'workspace-write'],
    decides: ['auto', 'agent', 'agent-full-access', 'permission-profile:read-only', 'permission-profile:x#read-only'],
  },
  { name: 'gemini-cli', asks: ['default', 'plan'], decides: ['autoEdit', 'yolo'] },
  { name: 'qwen-code', asks: ['default', 'plan'], decides: ['auto', 'auto-edit', 'auto_edit', 'yolo'] },
  { name: 'OpenCode', asks: ['build', 'plan'], decides: ['deployer'] },
  {
    name: 'Copilot',
    asks: ['agent', 'plan'].map((mode) => `https://agentclientprotocol.com/protocol/session-modes#${mode}`),
    decides: ['https://agentclientprotocol.com/protocol/session-modes#autopilot', 'x#agent'],
  },
];

describe.each(AGENTS)('the modes of $name', ({ name, asks, decides }) => {
  const table = findModeTable(name, ['unknown']);

  it.each(asks)('ask in %s', (mode) => expect(isDecidingMode(table, mode)).toBe(false));
  it.each(decides)('decide in %s', (mode) => expect(isDecidingMode(table, mode)).toBe(true));

  it('has the first of them as the one that the device prefers, whatever comes first in the list of the agent', () => {
    expect(findAskingMode(table, [...decides, ...asks.toReversed()])).toBe(asks[0]);
    expect(findAskingMode(table, [...decides, asks[1]!])).toBe(asks[1]);
    expect(findAskingMode(table, decides)).toBeUndefined();
  });
});

describe('an agent', () => {
  it.each([
    ['/usr/local/bin/gemini --acp', 'default'],
    ['npx -y @agentclientprotocol/codex-acp@2.6.0', 'read-only'],
    ['node --no-warnings /opt/claude-agent-acp.js', 'default'],
    ['/usr/bin/env HOME=/home/codex-acp QUIET=1 qwen --acp', 'default'],
    ['C:/tools/Copilot.exe --acp', 'agent'],
    ['pnpm dlx opencode-ai acp', 'build'],
  ])('without a name of its own is known by its command: %s', (command, mode) => {
    const table = findModeTable(null, command.split(' '));
    expect(findAskingMode(table, ['agent', 'build', 'read-only', 'default'])).toBe(mode);
  });

  it.each(['wrapper gemini', 'my-agent --model gemini', 'env -u X', ''])(
    'is not known by another word of its command: %j',
    (command) => expect(findModeTable(null, command.split(' '))).toBeUndefined(),
  );

  it('is known by its name rather than by its command', () => {
    expect(isDecidingMode(findModeTable('codex-acp', ['gemini']), 'default')).toBe(true);
    expect(isDecidingMode(findModeTable('A new name', ['gemini']), 'default')).toBe(false);
  });

  it('decides by itself in every mode if it is not known', () => {
    const table = findModeTable('stranger', ['stranger']);
    for (const mode of ['ask', 'default', 'plan', 'read-only']) expect(isDecidingMode(table, mode)).toBe(true);
    expect(findAskingMode(table, ['ask', 'default'])).toBeUndefined();
  });
});
