import type { AgentSession } from '../agent/agent-session';
import { createDeviceState } from '../device-state';
import { generateDeviceKeys } from '../keys';
import { findAnnouncedAgents, learnAgent } from './agent-catalog';

const COMMAND = { name: 'a', command: ['x'], environmentNames: [], mode: null };

it('announces of an agent no more than the service takes', async () => {
  const state = createDeviceState('machine', 'http://localhost', generateDeviceKeys());
  const ids = ['with blank', '', 'x'.repeat(65), ...Array.from({ length: 40 }, (_, n) => `mode-${n % 36}`)];
  const options = Array.from({ length: 40 }, (_, n) => ({ id: `option-${n}`, category: null, values: [] }));
  const session = {
    agent: { name: 'stranger', title: 'T'.repeat(101), version: '9'.repeat(65), canListSessions: true },
    modes: ids.map((id) => ({ id, name: id })),
    offer: { options, commands: [] },
  };
  expect(learnAgent(state, COMMAND, session as unknown as AgentSession)).toBe(true);
  const provider = {} as Parameters<typeof findAnnouncedAgents>[0]['provider'];
  expect(await findAnnouncedAgents({ commands: [COMMAND], provider }, state)).toEqual([
    {
      name: 'a',
      title: 'T'.repeat(100),
      version: '9'.repeat(64),
      modes: Array.from({ length: 32 }, (_, n) => `mode-${n}`),
      options: Array.from({ length: 32 }, (_, n) => ({ id: `option-${n}`, category: null })),
    },
  ]);
});
