import { CommandContext } from './command-context.ts';
import { Terminal } from './output/terminal.ts';

describe('a call of a command that is not delivered', () => {
  /** How often no device is online, before one is. */
  const REFUSALS = 10;
  let attempts: number;

  beforeEach(() => {
    attempts = 0;
    jest.replaceProperty(process, 'env', { ...process.env, XAPI_HOST: 'http://service.test', XAPI_TOKEN: 'x' });
    // Without a delay.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
      const isRefused = ++attempts <= REFUSALS;
      const refusal = { code: 'no_online_device', detail: 'No device.', outcome: 'not_delivered', requestId: 'req_1' };
      const body = JSON.stringify(isRefused ? refusal : { requestId: 'req_1', result: { exitCode: 0 } });
      const type = isRefused ? 'application/problem+json' : 'application/json';
      const headers = { 'content-type': type, 'x-request-id': 'req_1', 'retry-after': '0' };
      return Promise.resolve(new Response(body, { status: isRefused ? 503 : 200, headers }));
    });
  });
  afterEach(() => jest.restoreAllMocks());

  function invoke(retryTimeoutMs: number | undefined): Promise<unknown> {
    const options = { host: undefined, isVerbose: false, retryTimeoutMs, version: '1' };
    return new CommandContext(new Terminal(), options).createClient().machines.invoke('mch_1', { command: 'ls' });
  }

  it('is repeated as long as --retry-for says, however often that is', async () => {
    expect(await invoke(300_000)).toEqual({ exitCode: 0 });
    expect(attempts).toBe(REFUSALS + 1);
  });

  it('is repeated four times without it', async () => {
    await expect(invoke(undefined)).rejects.toMatchObject({ code: 'no_online_device' });
    expect(attempts).toBe(5);
  });
});
