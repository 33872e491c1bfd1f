import { ClientProgram, NODE_BINARIES, runProgram } from '../support/clients/client-package';
import { FaultProxy, type Fault } from '../support/clients/fault-proxy';
import { RelayFixture, type ConnectedMachine } from '../support/relay-fixture';
import { waitFor } from '../support/wait-for';

const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Fault => ({
  status,
  headers: { 'x-request-id': 'req_of_the_proxy', ...headers },
  body: { type: 'about:blank', title: code, status, detail: code, code, requestId: 'req_of_the_proxy', ...more },
});
const REFUSED = problem(503, 'no_online_device', { outcome: 'not_delivered' }, { 'retry-after': '0' });

describe.each(NODE_BINARIES)('retries of the client with %s', (node) => {
  let relay: RelayFixture;
  let machine: ConnectedMachine;
  let proxy: FaultProxy;
  let runs: number;

  beforeAll(async () => {
    relay = await RelayFixture.start();
    machine = await relay.createMachine();
    proxy = await FaultProxy.start(relay.service.url);
  });
  afterAll(async () => {
    await proxy?.stop();
    await relay?.stop();
  });
  beforeEach(() => {
    proxy.reset();
    runs = 0;
    machine.socket.setHandler(() => ({ ok: true, result: { exitCode: 0, stdout: `run ${++runs}` } }));
  });

  const env = (options: object = {}) => ({
    BASE_URL: proxy.url,
    TOKEN: relay.token,
    MACHINE: machine.id,
    OPTIONS: JSON.stringify(options),
  });
  const run = (code: string, options: object = {}) => runProgram(code, { node, env: env(options) });
  const INVOKE = `print(await client.machines.invoke(process.env.MACHINE, { command: 'x' }).catch(describe));`;
  const ME = `print(await client.me().then((me) => me.data.token.type, describe));`;
  const keys = () => new Set(proxy.requests.map(({ headers }) => headers['idempotency-key']));

  describe('a command', () => {
    it.each<[string, Fault[]]>([
      ['whose connection was reset before it was sent', ['reset-before']],
      ['whose response was lost', ['reset-after', 'reset-after']],
      ['whose response was cut off', ['truncate']],
      ['that a proxy sent twice', ['duplicate']],
      ['with a 404 of a gateway', [{ status: 404, headers: { 'content-type': 'text/html' } }]],
      ['with a page of a portal', [{ status: 200, headers: { 'content-type': 'text/html' } }]],
      ['with a problem of a gateway', [problem(403, 'forbidden', {}, { 'x-request-id': 'other' })]],
      ['with JSON of a gateway', [{ status: 200, headers: {}, body: { data: {} } }]],
      [
        'with JSON of a gateway that looks almost right',
        [{ status: 200, headers: { 'x-request-id': 'x', 'content-type': 'application/json' }, body: { result: 'ok' } }],
      ],
      ['with 204 of a portal', [{ status: 204, body: '' }]],
      ['with a proxy that asks for a password', [{ status: 407, headers: { 'proxy-authenticate': 'Basic' } }]],
      ['with a 502 of a proxy', ['reset-after', { status: 502, headers: { 'content-type': 'text/html' } }]],
      ['with an unknown outcome', [problem(504, 'timeout', { outcome: 'unknown' })]],
      ['that was not delivered', [REFUSED, REFUSED]],
      ['that is still running under its key', [problem(409, 'idempotency_in_progress')]],
      ['that the service is too busy for', [problem(429, 'device_busy', { outcome: 'not_delivered' })]],
    ])('%s runs once and gets its result', async (_, faults) => {
      proxy.faults = [...faults];
      expect(await run(INVOKE)).toEqual([{ exitCode: 0, stdout: 'run 1' }]);
      expect(runs).toBe(1);
      expect(keys().size).toBe(1);
      expect([...keys()][0]).toMatch(/^[0-9a-f]{32}$/);
    });

    it('is not repeated after an answer of the device', async () => {
      machine.socket.setHandler(() => ({ ok: false, error: { code: 'command_not_found', message: 'No x.' } }));
      const [error] = await run(INVOKE);
      expect(error).toMatchObject({ name: 'ApiError', status: 502, code: 'device_error', outcome: 'answered' });
      expect(error.problem.deviceError).toEqual({ code: 'command_not_found', message: 'No x.' });
      expect(proxy.requests).toHaveLength(1);
    });

    it('is not repeated without a key if its outcome is unknown', async () => {
      proxy.faults = ['reset-after'];
      const call = `client.request('POST', '/machines/' + process.env.MACHINE + '/invoke',
        { body: { command: 'x' }, idempotencyKey: null })`;
      const [error] = await run(`print(await ${call}.catch(describe));`);
      expect(error).toMatchObject({ name: 'ConnectionError', code: 'connection_failed', outcome: 'unknown' });
      expect(proxy.requests).toHaveLength(1);
    });

    it('gets the result of the first call if its process was killed and another one repeats it', async () => {
      let answer = () => {};
      machine.socket.setHandler(
        () => new Promise((resolve) => (answer = () => resolve({ ok: true, result: { exitCode: ++runs } }))),
      );
      const before = machine.socket.requests.length;
      const call = `client.machines.invoke(process.env.MACHINE, { command: 'make' }, { idempotencyKey: 'job-1' })`;
      const killed = new ClientProgram(`await ${call};`, { node, env: env() });
      await waitFor(() => expect(machine.socket.requests.length).toBeGreaterThan(before), 15_000);
      killed.kill();
      await killed.exited;
      const second = run(`print(await ${call});`);
      await waitFor(() => expect(proxy.requests.length).toBeGreaterThanOrEqual(2), 15_000);
      answer();
      expect(await second).toEqual([{ exitCode: 1 }]);
      expect(machine.socket.requests.length).toBe(before + 1);
    });
  });

  describe('a read', () => {
    it.each<[string, Fault[]]>([
      ['a reset connection', ['reset-before', 'reset-after', 'truncate']],
      ['500', [problem(500, 'internal_error')]],
      ['503 of a restarting service', [problem(503, 'service_unavailable', {}, { 'retry-after': '0' })]],
      ['408', [problem(408, 'request_timeout')]],
    ])('is repeated after %s', async (_, faults) => {
      proxy.faults = [...faults];
      expect(await run(ME)).toEqual(['pat']);
      expect(proxy.requests).toHaveLength(faults.length + 1);
    });

    it('is given up after maxRetries repetitions, with the last error', async () => {
      proxy.lastingFault = problem(500, 'internal_error');
      const [error] = await run(ME, { maxRetries: 2 });
      expect(error).toMatchObject({ code: 'internal_error', attempts: 3, requestId: 'req_of_the_proxy' });
      expect(proxy.requests).toHaveLength(3);
      proxy.reset();
      proxy.lastingFault = REFUSED;
      expect(await run(ME, { maxRetries: 0 })).toMatchObject([{ attempts: 1 }]);
    });

    it('is repeated when no response arrives in time', async () => {
      proxy.faults = ['hang'];
      expect(await run(ME, { attemptTimeoutMs: 300 })).toEqual(['pat']);
      expect(proxy.requests).toHaveLength(2);
    });

    it.each([400, 401, 403, 404, 410, 422])('is not repeated after %i', async (status) => {
      proxy.lastingFault = problem(status, 'refused');
      expect(await run(ME)).toMatchObject([{ status, code: 'refused', attempts: 1 }]);
      expect(proxy.requests).toHaveLength(1);
    });
  });

  describe('Retry-After', () => {
    it('is waited for, by seconds', async () => {
      proxy.faults = [problem(429, 'rate_limited', {}, { 'retry-after': '1' })];
      expect(await run(ME)).toEqual(['pat']);
      const [first, second] = proxy.requests;
      expect(second!.receivedAt - first!.receivedAt).toBeGreaterThanOrEqual(990);
    });

    it('counts from the Date of the response where it is a date, whatever the clock of the machine says', async () => {
      const date = Date.parse('2020-01-01T00:00:00Z');
      const headers = { date: new Date(date).toUTCString(), 'retry-after': new Date(date + 1_000).toUTCString() };
      proxy.faults = [problem(503, 'service_unavailable', {}, headers)];
      const shifted = `const now = Date.now; Date.now = () => now() + 3_600_000;`;
      expect(await run(shifted + ME)).toEqual(['pat']);
      const [first, second] = proxy.requests;
      expect(second!.receivedAt - first!.receivedAt).toBeGreaterThanOrEqual(990);
    });

    it('beyond the time of the call ends it at once', async () => {
      proxy.lastingFault = problem(429, 'rate_limited', {}, { 'retry-after': '3600' });
      expect(await run(ME)).toMatchObject([{ code: 'rate_limited', retryAfterSeconds: 3600, attempts: 1 }]);
    });

    it('lets twenty calls outlast a storm of refusals', async () => {
      proxy.faults = Array.from({ length: 60 }, () => problem(429, 'rate_limited', {}, { 'retry-after': '0' }));
      const calls = 'await Promise.all(Array.from({ length: 20 }, () => client.me()))';
      expect(await run(`print((${calls}).length);`)).toEqual([20]);
      expect(proxy.requests).toHaveLength(80);
    });
  });

  describe('an AbortSignal', () => {
    const aborted = (call: string) => `
      const signal = AbortSignal.timeout(300);
      const start = performance.now();
      const error = await ${call}.then(() => null, (error) => error);
      print([error === signal.reason, performance.now() - start < 5_000]);`;

    it.each<[string, Fault]>([
      ['while a call waits for a retry', problem(429, 'rate_limited', {}, { 'retry-after': '60' })],
      ['while a call waits for its response', 'hang'],
    ])('ends a call %s', async (_, fault) => {
      proxy.lastingFault = fault;
      expect(await run(aborted('client.me({ signal })'))).toEqual([[true, true]]);
    });

    it('ends a call that waits for a token', async () => {
      const slow = `const other = new ExternalApiClient({ baseUrl, token: () => new Promise(() => {}) });
        setTimeout(() => {}, 2_000);`;
      expect(await run(slow + aborted('other.me({ signal })') + 'process.exit(0);')).toEqual([[true, true]]);
    });

    it('of the client ends its calls', async () => {
      proxy.lastingFault = 'hang';
      const code = aborted('new ExternalApiClient({ baseUrl, token, signal }).me()');
      expect(await run(code)).toEqual([[true, true]]);
    });
  });
});
