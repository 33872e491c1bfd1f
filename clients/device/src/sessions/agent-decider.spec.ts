import type { StoredAgent } from '../device-state';
import { createDeviceState } from '../device-state';
import { generateDeviceKeys } from '../keys';
import { describeDecider } from './agent-decider';

const createState = (known: Partial<StoredAgent>) => ({
  ...createDeviceState('machine', 'http://localhost', generateDeviceKeys()),
  knownAgents: { a: { command: ['x'], name: 'stranger', title: null, version: null, modes: [], ...known } },
});
const createAgent = (command: string, mode: string | null = null) => ({
  name: 'a',
  command: command.split(' '),
  environmentNames: [],
  mode,
});

it.each([
  ['that is known by its command', createAgent('gemini --acp'), 'permissions', 'default'],
  ['with settings of its own', createAgent('opencode acp'), 'settings', 'build'],
  ['in a mode that its owner has chosen', createAgent('gemini', 'plan'), 'permissions', 'plan'],
  ['in a mode in which it decides', createAgent('gemini', 'yolo'), 'agent', 'yolo'],
  ['that is not known', createAgent('y'), 'unknown', null],
])('says who decides for an agent %s', (_, agent, decider, mode) => {
  const described = describeDecider(agent, createState({}), { permissions: 'reject' });
  expect(described).toEqual({ name: 'a', decider, mode, permissions: 'reject', rules: 0 });
});

it.each([
  [{ modes: [] }, 'settings', null],
  [{ modes: ['fast', 'slow'] }, 'none', null],
  [{ name: 'qwen-code', modes: ['auto', 'default'] }, 'permissions', 'default'],
])('says it of one that has been started: %j', (known, decider, mode) => {
  expect(describeDecider(createAgent('x'), createState(known))).toMatchObject({ decider, mode, permissions: 'ask' });
});

it('does not take another command for the agent of the same name', () => {
  const state = createState({ name: 'qwen-code', modes: ['default'] });
  expect(describeDecider(createAgent('x --other'), state)).toMatchObject({ decider: 'unknown' });
});

it('says that an agent is allowed everything in its own mode', () => {
  expect(describeDecider(createAgent('gemini'), createState({}), { permissions: 'allow' })).toMatchObject({
    decider: 'permissions',
    mode: null,
  });
});

it('says that an agent asks where rules come first', () => {
  const policy = { permissions: 'allow', rules: 1 } as const;
  expect(describeDecider(createAgent('gemini'), createState({}), policy)).toMatchObject({ mode: 'default', rules: 1 });
});
