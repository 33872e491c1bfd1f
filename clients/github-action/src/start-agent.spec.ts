import { createRecordedClient } from '../../typescript/src/testing/recorded-client.ts';
import { findMachineId } from './find-machine.ts';
import { startAgent } from './start-agent.ts';

const MACHINE = 'mch_00000000000000000000000000';
const NOT_SHARED = '::warning::What the agent says is not shared with the token';
const WORK = {
  machine: MACHINE,
  text: 'hello',
  agent: 'claude',
  cwd: '/srv',
  keepsSession: false,
  timeoutMs: 60_000,
  waitsForDecisions: false,
};

describe('an agent that the action starts', () => {
  let log: string;
  let write: jest.SpyInstance;

  beforeEach(() => {
    log = '';
    write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
      log += String(text);
      return true;
    });
  });
  afterEach(() => write.mockRestore());

  async function start(scopes: string[], capabilities: string[], grantError?: object) {
    const turn = { id: 'turn_1', state: 'completed', version: 1 };
    const { client, requests } = createRecordedClient({
      'GET /me': { data: { token: { scopes } } },
      [`GET /machines/${MACHINE}`]: { data: { capabilities } },
      [`POST /machines/${MACHINE}/sessions`]: { requestId: 'req_1', result: { sessionId: 'ses_1', turn, grantError } },
      'GET /sessions/ses_1/turns/turn_1': { data: turn },
      'GET /sessions/ses_1/messages': { data: [], nextCursor: null },
      'POST /sessions/ses_1/end': { requestId: 'req_1', result: {} },
    });
    const host = 'https://service.example';
    const result = await startAgent(client, { host, work: WORK }, new AbortController().signal);
    expect(result).toMatchObject({ status: 'completed', isSuccess: true, sessionId: 'ses_1', turnId: 'turn_1' });
    return requests.find(({ call }) => call === `POST /machines/${MACHINE}/sessions`)!.body;
  }

  it('gets the agent, the folder and the message of the inputs, and is shared with the token', async () => {
    const body = await start(['sessions:content'], ['session.grant']);
    expect(body).toMatchObject({ agent: 'claude', cwd: '/srv', content: 'hello', grant: true });
    expect(log).not.toContain('::warning::');
  });

  it('is not shared with a token that may not read it', async () => {
    expect(await start([], ['session.grant'])).not.toHaveProperty('grant');
    expect(log).not.toContain('::warning::');
  });

  it('starts with a warning on a machine that cannot share it', async () => {
    expect(await start(['sessions:content'], [])).not.toHaveProperty('grant');
    expect(log).toContain(`${NOT_SHARED}: update the device of the machine.\n`);
  });

  it('starts with a warning if the machine could not share it', async () => {
    await start(['sessions:content'], ['session.grant'], { code: 'internal', message: 'The disk is full.' });
    expect(log).toContain(`${NOT_SHARED}. The disk is full.\n`);
  });
});

it('finds a machine by its name behind the first page', async () => {
  const { client } = createRecordedClient({
    'GET /machines': ({ query }) =>
      query.cursor === 'next'
        ? { data: [{ id: 'mch_2', name: 'build' }], nextCursor: null }
        : { data: [{ id: 'mch_1', name: 'other' }], nextCursor: 'next' },
  });
  expect(await findMachineId(client, 'build')).toBe('mch_2');
});
