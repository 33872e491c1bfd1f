import type { MessageRequest } from '../../wire';
import { echo, program as programOf } from './answerers';

const request = (content: string, timeoutMs = 5000): MessageRequest => ({
  requestId: 'req_1',
  method: 'session.message',
  deadline: Date.now() + 10_000,
  timeoutMs,
  params: { content },
});
const signal = new AbortController().signal;
const program = (...argv: string[]) => programOf(argv, '/');

describe('a session message', () => {
  it('is echoed where no program answers', async () => {
    expect(await echo(request('hello'), signal)).toBe('hello');
  });

  it('is given to the program, whose output is the reply', async () => {
    const content = '$(id) "quoted"\nünïcode €';
    expect(await program('cat')(request(content), signal)).toBe(content);
    expect(await program('wc', '-c')(request('x'.repeat(100_000)), signal)).toMatch(/^\s*100000\n$/);
  });

  it('has no reply when the program says nothing', async () => {
    expect(await program('true')(request('hello'), signal)).toBeNull();
  });

  it.each([
    ['fails', ['false'], 'internal', 'exit code 1'],
    ['runs out of time', ['sleep', '10'], 'internal', 'stopped after'],
    ['does not exist', ['no-such-program'], 'command_not_found', 'no command'],
  ])('is an error when the program %s', async (_, argv, code, message) => {
    await expect(program(...argv)(request('hello', 200), signal)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('can be cancelled', async () => {
    const answer = program('sleep', '10')(request('hello'), AbortSignal.timeout(100));
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  });
});
