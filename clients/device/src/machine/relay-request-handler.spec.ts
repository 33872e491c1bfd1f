import { CommandError } from '../exec/command-error';
import { formatAnswerOutcome, RelayRequestHandler } from './relay-request-handler';
import { ServerClock } from './server-clock';

const createRequest = (change: object = {}) => ({
  requestId: 'req_1',
  method: 'session.message',
  deadline: Date.now() + 5_000,
  timeoutMs: 1000,
  params: { content: 'hello' },
  ...change,
});

const createRequestHandler = () =>
  new RelayRequestHandler(new ServerClock(), {
    'session.message': ({ params }) =>
      Promise.resolve({ accepted: true, messageId: null, reply: 'content' in params ? params.content : null }),
    'machine.invoke': () => Promise.reject(new TypeError('broken')),
  });

const createInvokeRequest = (params: unknown) => createRequest({ method: 'machine.invoke', params });

describe('RelayRequestHandler', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['no id', createRequest({ requestId: undefined })],
    ['a far deadline', createRequest({ deadline: Date.now() + 1e9 })],
    ['a time of the service that is none', createRequest({ serverTime: 'now' })],
    ['no deadline', createRequest({ deadline: 'soon' })],
    // The journal would refuse such a turn after a restart.
    ['a deadline with a fraction', createRequest({ deadline: Date.now() + 0.5 })],
    ['an id of a session that is none', createRequest({ sessionId: 'ses 1' })],
    ['no time', createRequest({ timeoutMs: 0 })],
    ['too much time', createRequest({ timeoutMs: 1e12 })],
    ['an unknown method', createRequest({ method: 'machine.reboot' })],
    ['no params', createRequest({ params: undefined })],
    ['no content', createRequest({ params: {} })],
    ['a time to wait that is none', createRequest({ params: { content: 'a', waitMs: -1 } })],
    ['a session that is none', createRequest({ sessionId: 1 })],
    ['a method of no handler', createRequest({ method: 'session.cancel', params: { turnId: 'turn_1' } })],
    ['a name of every object', createRequest({ method: 'constructor' })],
    ['no command', createInvokeRequest({ command: '', args: [], cwd: null })],
    ['a NUL', createInvokeRequest({ command: 'a\0b', args: [], cwd: null })],
    ['args that are none', createInvokeRequest({ command: 'a', args: [1], cwd: null })],
    ['no cwd', createInvokeRequest({ command: 'a', args: [] })],
  ])('answers %s with an error', async (_, payload) => {
    expect(await createRequestHandler().handleRequest(payload)).toMatchObject({
      ok: false,
      error: { code: 'internal' },
    });
  });

  it('names an unknown method by whole characters', async () => {
    const answer = await createRequestHandler().handleRequest(createRequest({ method: `${'x'.repeat(98)}😀` }));
    const message = `Invalid request: unknown method "${'x'.repeat(98)}.`;
    expect(answer).toEqual({ ok: false, error: { code: 'internal', message } });
  });

  it('answers when a handler breaks', async () => {
    const answer = await createRequestHandler().handleRequest(
      createInvokeRequest({ command: 'a', args: [], cwd: null }),
    );
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal', message: expect.any(String) } });
  });

  it.each([undefined, null, 1, {}, { requestId: {} }, { requestId: 'r'.repeat(201) }])(
    'ignores the malformed cancellation %j',
    async (payload) => {
      const requestHandler = createRequestHandler();
      expect(() => requestHandler.cancelRequest(payload)).not.toThrow();
      expect(await requestHandler.handleRequest(createRequest())).toMatchObject({ ok: true });
    },
  );

  it('does not run a request again until its deadline has passed', async () => {
    let now = 1_000_000;
    let runs = 0;
    const requestHandler = new RelayRequestHandler({ now: () => now } as ServerClock, {
      'session.message': () => Promise.resolve({ accepted: true, messageId: null, reply: String(++runs) }),
      'machine.invoke': () => Promise.reject(new Error('not asked')),
    });
    const request = createRequest({ deadline: now + 5_000 });
    expect(await requestHandler.handleRequest(request)).toMatchObject({ ok: true, result: { reply: '1' } });
    for (const at of [now, request.deadline - 1, request.deadline]) {
      now = at;
      expect(await requestHandler.handleRequest(request)).toMatchObject({ ok: false });
    }
    expect(runs).toBe(1);
  });

  it('passes on the code of a command that cannot run', async () => {
    const invokeFails = () => Promise.reject(new CommandError('permission_denied', 'no'));
    const one = new RelayRequestHandler(new ServerClock(), {
      'session.message': () => Promise.reject(new Error('not asked')),
      'machine.invoke': invokeFails,
    });
    const answer = await one.handleRequest(createInvokeRequest({ command: 'a', args: [], cwd: null }));
    expect(answer).toEqual({ ok: false, error: { code: 'permission_denied', message: 'no' } });
  });

  it('begins nothing once it is stopping, and says so in a way that lets callers try again', async () => {
    const one = createRequestHandler();
    const answered = createRequest({ requestId: 'req_0' });
    expect(await one.handleRequest(answered)).toMatchObject({ ok: true });
    await one.cancelAndAwaitRequests();
    expect(await one.handleRequest(createRequest())).toMatchObject({
      ok: false,
      error: { code: 'busy', message: 'The machine is stopping. Try again when it runs again.' },
    });
    // What has run already must not look as if nothing was done.
    expect(await one.handleRequest(answered)).toMatchObject({ ok: false, error: { code: 'internal' } });
  });
});

it('an outcome is a word or two', () => {
  const outcome = (result: Record<string, unknown>) => formatAnswerOutcome({ ok: true, result });
  expect(outcome({ exitCode: 0, signal: null, timedOut: false })).toBe('ok');
  expect(outcome({ exitCode: 2, signal: null, timedOut: false })).toBe('exit 2');
  expect(outcome({ exitCode: null, signal: 'SIGTERM', timedOut: true })).toBe('timed out');
  expect(outcome({ accepted: true, messageId: null, reply: null })).toBe('ok');
});
