import { CommandContext } from '../command-context.ts';
import { CommandInput } from '../command-line/command-input.ts';
import { Terminal } from '../output/terminal.ts';
import { listSessions } from './sessions.ts';

const SESSIONS = Array.from({ length: 100 }, (_, n) => ({ id: `ses_${n}`, contentGranted: true }));
const CONTENT = { encoding: 'plaintext', content: '{"title":"Tests","cwd":"/srv"}', contentEncoding: 'utf8' };

describe('xapi sessions', () => {
  /** Code of the error that reads of content are refused with, and its status. */
  let refusal: [code: string, status: number] | undefined;
  let openReads: number;
  let mostOpenReads: number;

  beforeEach(() => {
    refusal = undefined;
    openReads = mostOpenReads = 0;
    jest.replaceProperty(process, 'env', { ...process.env, XAPI_HOST: 'http://service.test', XAPI_TOKEN: 'x' });
    jest.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
      if (!new URL(input as string).pathname.endsWith('/content')) return answer({ data: SESSIONS, nextCursor: null });
      mostOpenReads = Math.max(mostOpenReads, ++openReads);
      await new Promise(setImmediate);
      openReads--;
      if (!refusal) return answer({ data: CONTENT });
      return answer({ code: refusal[0], detail: 'Refused.', requestId: 'req_1' }, refusal[1]);
    });
  });
  afterEach(() => jest.restoreAllMocks());

  function answer(body: object, status = 200): Response {
    const type = `application/${status === 200 ? '' : 'problem+'}json`;
    const headers = { 'content-type': type, 'x-request-id': 'req_1', 'retry-after': '3600' };
    return new Response(JSON.stringify(body), { status, headers });
  }

  async function list(): Promise<unknown> {
    const terminal = new Terminal();
    terminal.isJson = true;
    const write = jest.spyOn(terminal, 'writeJson').mockImplementation(() => undefined);
    const options = { host: undefined, isVerbose: false, retryTimeoutMs: undefined, version: '1' };
    const input = new CommandInput(new Map(), new Map([['limit', ['1000']]]), []);
    await listSessions(new CommandContext(terminal, options), input);
    return write.mock.calls[0]![0];
  }

  it('reads at most 30 titles at a time, and all of them', async () => {
    expect(await list()).toEqual(SESSIONS.map((session) => ({ ...session, title: 'Tests', cwd: '/srv' })));
    expect(mostOpenReads).toBe(30);
  });

  it('has no title of a session that is not shared', async () => {
    refusal = ['no_content_grant', 403];
    expect(await list()).toEqual(SESSIONS.map((session) => ({ ...session, title: null, cwd: null })));
  });

  it('fails if the rate limit refuses a title, which could be there', async () => {
    refusal = ['rate_limited', 429];
    await expect(list()).rejects.toMatchObject({ code: 'rate_limited' });
  });
});
