import { setTimeout as sleep } from 'node:timers/promises';
import { ReplayFilter } from './replay-filter';

const chunk = (sessionUpdate: string, text: string) => ({ sessionUpdate, content: { type: 'text', text } });
const user = (text: string) => chunk('user_message_chunk', text);
const agent = (text: string) => chunk('agent_message_chunk', text);
const TOOL = { sessionUpdate: 'tool_call', toolCallId: 'one' };

let filter: ReplayFilter;
beforeEach(() => (filter = new ReplayFilter()));

it('takes everything before the first prompt for the past, but the state of the session', () => {
  expect([user('old'), agent('old'), TOOL].map((update) => filter.isPast(update))).toEqual([true, true, true]);
  expect(filter.isPast({ sessionUpdate: 'current_mode_update' })).toBe(false);
});

it('waits until the agent has repeated all, but not for one that goes on for ever', async () => {
  const waiting = filter.waitUntilQuiet();
  let isQuiet = false;
  void waiting.then(() => (isQuiet = true));
  for (let sent = 0; sent < 5; sent++) {
    await sleep(150);
    filter.isPast(agent('old'));
    expect(isQuiet).toBe(false);
  }
  await waiting;
  const repeating = setInterval(() => filter.isPast(agent('old')), 50);
  await filter.waitUntilQuiet();
  clearInterval(repeating);
}, 20_000);

it('takes what follows another message of the user for the past, until a silence', async () => {
  filter.beginPrompt('new prompt');
  expect([agent('a'), user('new '), user('prompt'), agent('b')].map((each) => filter.isPast(each))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect([user('new'), user(' clothes'), agent('c'), TOOL].map((each) => filter.isPast(each))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  await sleep(350);
  expect(filter.isPast(agent('d'))).toBe(false);
  expect([user('old'), user('new prompt'), agent('e')].map((each) => filter.isPast(each))).toEqual([true, true, true]);
});

it('takes nothing for the past from the second prompt on', () => {
  filter.beginPrompt('first');
  expect(filter.isPast(user('old'))).toBe(true);
  filter.beginPrompt('second');
  expect([user('old'), agent('a')].map((each) => filter.isPast(each))).toEqual([false, false]);
});
