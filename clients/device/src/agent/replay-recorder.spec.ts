import { MAX_REPLAYED_MESSAGES, ReplayRecorder } from './replay-recorder';

const chunk = (sessionUpdate: string, text: string, messageId?: string) => ({
  sessionUpdate,
  messageId,
  content: { type: 'text', text },
});
const user = (text: string, messageId?: string) => chunk('user_message_chunk', text, messageId);
const agent = (text: string) => chunk('agent_message_chunk', text);

let recorder: ReplayRecorder;
beforeEach(() => (recorder = new ReplayRecorder()));
afterEach(() => recorder.close());

it('joins the pieces of messages, of both sides, and keeps the order', () => {
  const updates = [user('one '), user('and a half'), agent('tw'), agent('o'), chunk('agent_thought_chunk', 'hm')];
  for (const update of [...updates, user('three'), agent('four')]) recorder.addUpdate(update);
  expect(recorder.close()).toEqual([
    { role: 'user', text: 'one and a half' },
    { role: 'assistant', text: 'two' },
    { role: 'user', text: 'three' },
    { role: 'assistant', text: 'four' },
  ]);
});

it('tells messages of the user apart by their ids', () => {
  for (const update of [user('one', 'a'), user('two', 'b')]) recorder.addUpdate(update);
  expect(recorder.close()).toEqual([
    { role: 'user', text: 'one' },
    { role: 'user', text: 'two' },
  ]);
});

it('records tool calls once, those that never finished and those with ids that are used again too', () => {
  const call = { sessionUpdate: 'tool_call', toolCallId: 'call', title: 'Run', status: 'completed' };
  const open = { ...call, toolCallId: 'open', status: 'in_progress' };
  for (const update of [user('one'), call, open, user('two'), call]) recorder.addUpdate(update);
  expect(recorder.close().map((message) => (message.role === 'tool' ? message.call.status : message.text))).toEqual([
    'one',
    'completed',
    'in_progress',
    'two',
    'completed',
  ]);
});

it('keeps the last messages, and no more text than fits into memory', () => {
  for (let n = 0; n < 2_500; n++) for (const update of [user(`u${n}`), agent(`a${n}`)]) recorder.addUpdate(update);
  const messages = recorder.close();
  expect(messages).toHaveLength(MAX_REPLAYED_MESSAGES);
  expect(messages.at(-1)).toEqual({ role: 'assistant', text: 'a2499' });
  recorder = new ReplayRecorder();
  for (let n = 0; n < 100; n++)
    for (const update of [user(`u${n}`), agent('x'.repeat(300_000))]) recorder.addUpdate(update);
  const length = JSON.stringify(recorder.close()).length;
  expect(length).toBeLessThan(9 * 1024 * 1024);
});

it('shows characters that nobody can see, and ignores blank messages and unknown values', () => {
  const updates = [user('a\u202eb'), agent(' '), { sessionUpdate: 'user_message_chunk' }, { sessionUpdate: 7 }, {}];
  for (const update of updates) recorder.addUpdate(update);
  expect(recorder.close()).toEqual([{ role: 'user', text: 'a\\u{202e}b' }]);
});

it('records nothing after it was closed', () => {
  recorder.addUpdate(user('one'));
  recorder.close();
  recorder.addUpdate(user('two'));
  expect(recorder.close()).toEqual([{ role: 'user', text: 'one' }]);
});
