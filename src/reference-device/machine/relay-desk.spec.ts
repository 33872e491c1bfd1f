import { CommandError } from '../exec/command-error';
import { answerOutcome, RelayDesk } from './relay-desk';
import { ServerClock } from './server-clock';

const request = (change: object = {}) => ({
  requestId: 'req_1',
  method: 'session.message',
  deadline: Date.now() + 5_000,
  timeoutMs: 1000,
  params: { content: 'hello' },
  ...change,
});

const desk = () =>
  new RelayDesk(new ServerClock(), {
    message: ({ params }) => Promise.resolve({ accepted: true, messageId: null, reply: params.content }),
    invoke: () => Promise.reject(new TypeError('broken')),
  });

const invoke = (params: unknown) => request({ method: 'machine.invoke', params });

describe('RelayDesk', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', []],
    ['no id', request({ requestId: undefined })],
    ['a far deadline', request({ deadline: Date.now() + 1e9 })],
    ['no deadline', request({ deadline: 'soon' })],
    ['no time', request({ timeoutMs: 0 })],
    ['too much time', request({ timeoutMs: 1e12 })],
    ['an unknown method', request({ method: 'machine.reboot' })],
    ['no params', request({ params: undefined })],
    ['no content', request({ params: {} })],
    ['no command', invoke({ command: '', args: [], cwd: null })],
    ['a NUL', invoke({ command: 'a\0b', args: [], cwd: null })],
    ['args that are none', invoke({ command: 'a', args: [1], cwd: null })],
    ['no cwd', invoke({ command: 'a', args: [] })],
  ])('answers %s with an error', async (_, payload) => {
    expect(await desk().handle(payload)).toMatchObject({ ok: false, error: { code: 'internal' } });
  });

  it('answers when a handler breaks', async () => {
    const answer = await desk().handle(invoke({ command: 'a', args: [], cwd: null }));
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal', message: expect.any(String) } });
  });

  it('takes malformed cancels', () => {
    for (const payload of [undefined, null, 1, {}, { requestId: {} }]) desk().cancel(payload);
  });

  it('passes on the code of a command that cannot run', async () => {
    const invokeFails = () => Promise.reject(new CommandError('permission_denied', 'no'));
    const one = new RelayDesk(new ServerClock(), {
      message: () => Promise.reject(new Error('not asked')),
      invoke: invokeFails,
    });
    const answer = await one.handle(invoke({ command: 'a', args: [], cwd: null }));
    expect(answer).toEqual({ ok: false, error: { code: 'permission_denied', message: 'no' } });
  });

  it('begins nothing once it is stopping', async () => {
    const one = desk();
    await one.stop();
    expect(await one.handle(request())).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });
});

it('an outcome is a word or two', () => {
  const outcome = (result: Record<string, unknown>) => answerOutcome({ ok: true, result });
  expect(outcome({ exitCode: 0, signal: null, timedOut: false })).toBe('ok');
  expect(outcome({ exitCode: 2, signal: null, timedOut: false })).toBe('exit 2');
  expect(outcome({ exitCode: null, signal: 'SIGTERM', timedOut: true })).toBe('timed out');
  expect(outcome({ accepted: true, messageId: null, reply: null })).toBe('ok');
});
