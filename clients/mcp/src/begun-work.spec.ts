import { createRecordedClient } from '../../typescript/src/testing/recorded-client.ts';
import { createMachineTools } from './machine-tools.ts';
import type { OwnToken } from './own-token.ts';
import { createSessionTools } from './session-tools.ts';
import { runTool } from './tool.ts';

const MESSAGES = '/sessions/ses_1/messages';
const TURN = '/sessions/ses_1/turns/turn_1';
const INVOCATIONS = '/machines/mch_1/invocations';
const INVOCATION = { id: 'inv_1', exitCode: null, signal: null, stdoutBytes: 5, stderrBytes: 0, version: 1 };

type Answers = Parameters<typeof createRecordedClient>[0];
type Extra = Parameters<typeof runTool>[2];

/** Fails as a call that reaches no service, which is not repeated with this code. */
const failToConnect = (code: string) => () => {
  throw new TypeError('fetch failed', { cause: Object.assign(new Error('failed'), { code }) });
};

function call(name: string, input: object, answers: Answers, { signal } = new AbortController()) {
  const { client } = createRecordedClient(answers);
  const read = () => Promise.resolve({ id: 'tok_1', scopes: ['sessions:content'] });
  const token = { read } as unknown as OwnToken;
  const tools = [...createMachineTools(client, token), ...createSessionTools(client, token)];
  const tool = tools.find((each) => each.name === name)!;
  return runTool(tool, tool.inputSchema.parse(input), { signal } as unknown as Extra);
}

describe('a message that has been sent', () => {
  const COMPLETED = { data: { id: 'turn_1', state: 'completed', version: 1 } };
  const REPLIES = { data: [{ id: 'msg_1' }], nextCursor: null };
  const FAILURE = failToConnect('ERR_PROXY_REFUSED');
  const send = (started: object, answers: Answers, waitSeconds = 50) =>
    call(
      'send_message',
      { sessionId: 'ses_1', text: 'hello', waitSeconds },
      { [`POST ${MESSAGES}`]: { requestId: 'req_1', result: started }, ...answers },
    );

  it.each<[what: string, state: string, answers: Answers]>([
    ['turn cannot be read', 'running', { [`GET ${TURN}`]: FAILURE }],
    ['reply cannot be found', 'completed', { [`GET ${TURN}`]: COMPLETED }],
    [
      'reply cannot be read',
      'completed',
      { [`GET ${TURN}`]: COMPLETED, [`GET ${MESSAGES}`]: REPLIES, [`GET ${MESSAGES}/msg_1/content`]: FAILURE },
    ],
  ])('has its turn, and the advice not to send it again, if its %s', async (_, state, answers) => {
    const { structuredContent } = await send({ turn: { id: 'turn_1', state: 'running' }, reply: null }, answers);
    const advice = expect.stringContaining("The message has been sent: don't send it again.");
    expect(structuredContent).toMatchObject({ turnId: 'turn_1', state, reply: null, advice });
  });

  it('has the reply of the call that sent it if there is no time left to read its turn', async () => {
    const started = { turn: { id: 'turn_1', state: 'completed' }, reply: 'Done.' };
    const { structuredContent } = await send(started, { [`GET ${TURN}`]: failToConnect('ECONNRESET') }, 0);
    expect(structuredContent).toMatchObject({ state: 'completed', reply: 'Done.', advice: null });
  });
});

describe('a command that has been started', () => {
  const run = (record: object) =>
    call(
      'run_command',
      { machineId: 'mch_1', command: 'make' },
      { [`POST ${INVOCATIONS}`]: { data: INVOCATION }, [`GET ${INVOCATIONS}/inv_1`]: record },
    );

  it.each(['lost', 'completed'])('has the state %s if its output cannot be read', async (state) => {
    const { structuredContent } = await run({ data: { ...INVOCATION, state } });
    const output = { stdout: '', stdoutOmittedBytes: 5, noOutput: 'not_found' };
    expect(structuredContent).toMatchObject({ invocationId: 'inv_1', state, ...output });
  });

  it('fails with the advice not to run it again if its end cannot be read', async () => {
    const { isError, content } = await run(failToConnect('ERR_PROXY_REFUSED'));
    const advice = "The command has been started as inv_1: don't run it again. Its end can't be read: service.example ";
    const text = expect.stringContaining(advice);
    expect({ isError, content }).toEqual({ isError: true, content: [{ type: 'text', text }] });
  });
});

describe('a session whose start is cancelled', () => {
  const STARTED = { requestId: 'req_1', result: { sessionId: 'ses_1', turn: null } };

  it('is ended once its ID is known', async () => {
    const cancellation = new AbortController();
    const start = () => {
      cancellation.abort();
      return STARTED;
    };
    const end = jest.fn(() => ({ requestId: 'req_1', result: { state: 'ended' } }));
    const answers = { 'POST /machines/mch_1/sessions': start, 'POST /sessions/ses_1/end': end };
    await call('start_session', { machineId: 'mch_1' }, answers, cancellation);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('is not started if the machine has not been asked for it', async () => {
    const cancellation = new AbortController();
    cancellation.abort();
    const start = jest.fn(() => STARTED);
    await call('start_session', { machineId: 'mch_1' }, { 'POST /machines/mch_1/sessions': start }, cancellation);
    expect(start).not.toHaveBeenCalled();
  });
});
