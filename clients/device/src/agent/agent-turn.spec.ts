import { AgentTurn } from './agent-turn';
import { RecordedTurn } from './testing/test-agents';
import { TurnWatchdog } from './turn-watchdog';

const limits = { turnTimeoutMs: 60_000, silenceTimeoutMs: 60_000 };
const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];

function createTurn() {
  const listener = new RecordedTurn();
  const interrupted = jest.fn();
  const turn = new AgentTurn(listener, limits, interrupted);
  const sendChunk = (text: string, messageId?: string) =>
    turn.handleUpdate({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } });
  return { turn, listener, interrupted, sendChunk };
}

it('offers at most 16 options of a permission request, and only those of a known kind', () => {
  const { turn, listener } = createTurn();
  const names = ['Allow\u202e it', ' '];
  const many = Array.from({ length: 18 }, (_, n) => ({
    optionId: `id-${n}`,
    name: names[n] ?? `Option ${n}`,
    kind: 'allow_once',
  }));
  void turn.requestPermission({ toolCall: { toolCallId: 'call' }, options: [{ ...many[0], kind: 'guess' }, ...many] });
  expect(listener.permissions[0]!.options).toHaveLength(16);
  expect(listener.permissions[0]!.options[15]).toEqual({ optionId: 'o16', name: 'Option 15', kind: 'allow_once' });
  // What nobody can see is an escape, and an option without a name has that of its kind.
  const shown = listener.permissions[0]!.options.slice(0, 2).map(({ name }) => name);
  expect(shown).toEqual(['Allow\\u{202e} it', 'allow_once']);
  turn.finish();
});

it('shows the steps of a plan, with what an agent leaves out, and none without a text', () => {
  const { turn, listener } = createTurn();
  const plans: unknown[] = [];
  Object.assign(listener, { planChanged: (...plan: unknown[]) => plans.push(plan) });
  const entries = [
    { content: 'Read\u202e it', status: 'completed', priority: 'high' },
    { content: 'Write', status: 'later', priority: 7 },
    { content: ' ', status: 'pending', priority: 'low' },
    'Test',
  ];
  turn.handleUpdate({ sessionUpdate: 'plan', entries });
  turn.finish();
  const read = [
    { content: 'Read\\u{202e} it', status: 'completed', priority: 'high' },
    { content: 'Write', status: 'pending', priority: 'medium' },
  ];
  expect(plans).toEqual([[read, 0]]);
});

it('counts the steps of a long plan that it does not show', () => {
  const { turn, listener } = createTurn();
  const planChanged = jest.fn();
  Object.assign(listener, { planChanged });
  const steps = Array.from({ length: 300 }, (_, n) => ({ content: `Step ${n}` }));
  turn.handleUpdate({ sessionUpdate: 'plan', entries: [{ content: '' }, ...steps, ' '] });
  turn.finish();
  const [entries, omitted] = planChanged.mock.calls[0] as [object[], number];
  expect([entries.length, entries[0], omitted]).toEqual([256, expect.objectContaining({ content: 'Step 0' }), 44]);
});

describe('a message', () => {
  it('goes on after updates of the session, and ends with another message, a thought or a new tool call', () => {
    const { turn, listener, sendChunk } = createTurn();
    sendChunk('a');
    turn.handleUpdate({ sessionUpdate: 'usage_update', used: 1, size: 2 });
    turn.handleUpdate({ sessionUpdate: 'tool_call', toolCallId: 'slow', status: 'in_progress' });
    sendChunk('b', 'm1');
    turn.handleUpdate({ sessionUpdate: 'tool_call_update', toolCallId: 'slow', content: [] });
    sendChunk('c', 'm1');
    sendChunk('d', 'm2');
    turn.handleUpdate({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } });
    sendChunk('  \n');
    turn.finish();
    expect(listener.messages).toEqual(['a', 'bc', 'd']);
    expect(listener.addedTexts).toEqual(listener.messages);
  });

  it('is handed over while it is written, with the same escapes, unless it is blank', () => {
    const { turn, listener, sendChunk } = createTurn();
    for (const chunk of ['\n', ' ']) sendChunk(chunk, 'blank');
    sendChunk('\ud83d', 'm1');
    expect(listener.addedTexts).toEqual([]);
    for (const chunk of ['\ude00\u202e', 'x\r', '\ny']) sendChunk(chunk, 'm1');
    expect(listener.messages).toEqual([]);
    expect(listener.addedTexts).toEqual(['😀\\u{202e}x\ny']);
    turn.finish();
    expect(listener.messages).toEqual(listener.addedTexts);
  });

  it.each([
    ['halves of characters', '👩‍🚀 one\r\ntwo\r\n\r\nthree 😀', '👩‍🚀 one\ntwo\n\nthree 😀'],
    ['halves without the other one', 'a\ud83d b\ude00 c\ud83d', 'a\ufffd b\ufffd c\ufffd'],
  ])('is what its pieces spell together: %s', (_, written, expected) => {
    const { turn, listener, sendChunk } = createTurn();
    for (let index = 0; index < written.length; index++) {
      sendChunk(written[index]!, index % 3 === 0 ? undefined : 'm1');
      if (index % 4 === 0) sendChunk('');
    }
    turn.finish();
    expect(listener.messages).toEqual([expected]);
    expect(listener.addedTexts).toEqual([expected]);
  });

  it('goes on after a plan, and with an id also after the end of a call that ran beside it', () => {
    const { turn, listener, sendChunk } = createTurn();
    const finish = (toolCallId: string) =>
      turn.handleUpdate({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' });
    for (const toolCallId of ['one', 'two'])
      turn.handleUpdate({ sessionUpdate: 'tool_call', toolCallId, status: 'in_progress' });
    sendChunk('Hel', 'm1');
    turn.handleUpdate({ sessionUpdate: 'plan', entries: [] });
    sendChunk('l', 'm1');
    finish('one');
    sendChunk('o', 'm1');
    sendChunk('I wait.', 'm2');
    turn.handleUpdate({ sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'x' } });
    sendChunk('Still.');
    finish('two');
    sendChunk('Done.');
    turn.finish();
    expect(listener.messages).toEqual(['Hello', 'I wait.', 'Still.', 'Done.']);
    expect(listener.addedTexts).toEqual(listener.messages);
    expect(listener.order).toEqual(['tool', 'message', 'message', 'message', 'tool', 'message']);
  });

  it('is whole if Qwen Code says so, which sends no ids', () => {
    const { turn, listener, sendChunk } = createTurn();
    const sendWhole = (text: string) => {
      const content = { type: 'text', text };
      turn.handleUpdate({ sessionUpdate: 'agent_message_chunk', content, _meta: { qwenDiscreteMessage: true } });
    };
    sendChunk('I ');
    sendChunk('wait.');
    sendWhole('The build has ended.');
    sendWhole('All tests pass.');
    sendChunk('');
    sendChunk('Next: ');
    sendChunk('deploy.');
    turn.finish();
    expect(listener.messages).toEqual(['I wait.', 'The build has ended.', 'All tests pass.', 'Next: deploy.']);
    expect(listener.addedTexts.join('')).toBe(listener.messages.join(''));
  });

  it('is truncated in the middle', () => {
    const { turn, listener, sendChunk } = createTurn();
    for (let sent = 0; sent < 100; sent++) sendChunk('x'.repeat(10_000));
    turn.finish();
    expect(Buffer.byteLength(listener.messages[0] ?? '')).toBeLessThanOrEqual(256 * 1024);
    expect(listener.messages[0]).toContain('bytes left out ...]');
  });
});

describe('a tool call', () => {
  it('is reported once, whatever the agent sends afterwards', () => {
    const { turn, listener } = createTurn();
    for (const status of ['completed', 'completed', 'in_progress', 'failed'])
      turn.handleUpdate({ sessionUpdate: 'tool_call_update', toolCallId: 'one', status });
    turn.finish();
    expect(listener.toolCalls).toMatchObject([{ id: 'one', status: 'completed' }]);
  });

  it('is not reported if the agent only asked for it', async () => {
    const { turn, listener } = createTurn();
    const answer = turn.requestPermission({ toolCall: { toolCallId: 'asked', title: 'Ask' }, options });
    turn.finish();
    expect(await answer).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(listener.order).toEqual(['permission']);
  });

  it('that was rejected has failed, also if the agent says nothing more of it', async () => {
    const { turn, listener } = createTurn();
    const both = [...options, { optionId: 'no', name: 'No', kind: 'reject_once' }];
    const toolCall = { toolCallId: 'asked', title: 'Delete it', kind: 'delete' };
    const answer = turn.requestPermission({ toolCall, options: both });
    listener.permissions[0]!.select('o2');
    expect(await answer).toEqual({ outcome: { outcome: 'selected', optionId: 'no' } });
    turn.finish();
    expect(listener.toolCalls).toEqual([
      { id: 'asked', title: 'Delete it', kind: 'delete', status: 'failed', output: '' },
    ]);
  });

  it('ends the turn with agent_error if there are too many at once', () => {
    const { turn, interrupted } = createTurn();
    for (let call = 0; call < 300; call++)
      turn.handleUpdate({ sessionUpdate: 'tool_call', toolCallId: `call-${call}`, status: 'in_progress' });
    expect(interrupted).toHaveBeenCalledTimes(1);
    expect(turn.interruptedBy).toMatchObject({ code: 'agent_error' });
    turn.finish();
  });
});

describe('a permission request', () => {
  const createRequest = (number: number) => ({ toolCall: { toolCallId: `call-${number}` }, options });

  it('is cancelled if 32 others are open, or after a cancellation', async () => {
    const { turn, listener } = createTurn();
    const answers = Array.from({ length: 33 }, (_, number) => turn.requestPermission(createRequest(number)));
    expect(await answers[32]).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(listener.permissions).toHaveLength(32);
    turn.interrupt('cancelled');
    await Promise.all(answers);
    expect(await turn.requestPermission(createRequest(0))).toEqual({ outcome: { outcome: 'cancelled' } });
    expect(listener.permissions).toHaveLength(32);
    turn.finish();
  });

  it('without an option of a known kind is an error', async () => {
    const { turn } = createTurn();
    const unknown = [{ optionId: 'x', name: 'X', kind: 'allow_for_a_week' }];
    await expect(turn.requestPermission({ toolCall: {}, options: unknown })).rejects.toMatchObject({ code: -32602 });
    turn.finish();
  });
});

it('does not count time in which the process stood still', async () => {
  const onExpired = jest.fn();
  const watchdog = new TurnWatchdog({ turnTimeoutMs: 1_000, silenceTimeoutMs: 1_000 }, onExpired);
  // Like a computer that sleeps: no timer runs, and the clock goes on.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(onExpired).not.toHaveBeenCalled();
  watchdog.stop();
});
