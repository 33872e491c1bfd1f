import { echoReplyHandler, createProgramReplyHandler as programOf } from './reply-handlers';
import type { TextMessageRequest } from './sealed-messages';

const createRequest = (content: string, timeoutMs = 5000): TextMessageRequest => ({
  requestId: 'req_1',
  method: 'session.message',
  deadline: Date.now() + 10_000,
  timeoutMs,
  params: { content },
});
const signal = new AbortController().signal;
const createHandler = (...argv: string[]) => programOf(argv, '/');

describe('a session message', () => {
  it('is echoed where no program answers', async () => {
    expect(await echoReplyHandler(createRequest('hello'), signal)).toBe('hello');
  });

  it('is given to the program, whose output is the reply', async () => {
    const content = '$(id) "quoted"\nünïcode €';
    expect(await createHandler('cat')(createRequest(content), signal)).toBe(content);
    expect(await createHandler('wc', '-c')(createRequest('x'.repeat(100_000)), signal)).toMatch(/^\s*100000\n$/);
  });

  it('has no reply when the program says nothing', async () => {
    expect(await createHandler('true')(createRequest('hello'), signal)).toBeNull();
  });

  it.each([
    ['fails', ['false'], 'internal', 'exited with code 1'],
    ['runs out of time', ['sleep', '10'], 'internal', 'timed out after'],
    ['does not exist', ['no-such-program'], 'command_not_found', 'was not found'],
  ])('is an error when the program %s', async (_, argv, code, message) => {
    await expect(createHandler(...argv)(createRequest('hello', 200), signal)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it('can be cancelled', async () => {
    const answer = createHandler('sleep', '10')(createRequest('hello'), AbortSignal.timeout(100));
    await expect(answer).rejects.toMatchObject({ code: 'cancelled' });
  });
});
