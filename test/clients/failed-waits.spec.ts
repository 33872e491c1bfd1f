import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runXapi, XapiProcess } from '../support/clients/xapi';
import { createTempFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';
import { runAction } from './support/action-runner';
import { buildMcpServer, McpHost } from './support/mcp';

const MACHINE = 'mch_00000000000000000000000000';
const SESSION = 'ses_00000000000000000000000000';
const TURN = 'turn_00000000000000000000000000';
const IDS = { 'session-id': SESSION, 'turn-id': TURN };
const TURN_PATH = `/sessions/${SESSION}/turns/${TURN}`;

type Answer = { status?: number; headers?: Record<string, string>; body: object } | 'hang' | 'reset';

const refuse = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Answer => ({
  status,
  headers,
  body: { title: 'Refused', status, code, detail: `Refused: ${code}.`, requestId: 'req_1', ...more },
});
const turnIn = (state: string): Answer => ({ body: { data: { id: TURN, state, version: 1 } } });
const completed = turnIn('completed');
const limited = (more: object = {}) => refuse(429, 'rate_limited', more, { 'retry-after': '3600' });

describe('a client that has started an agent', () => {
  let server: Server;
  let url: string;
  let requests: string[];
  let lastKey: string | string[] | undefined;
  /** Requests whose caller has not waited for the answer. */
  let abandoned: string[];
  /** Answers by the method and the path below `/external/v1`. */
  let answers: Record<string, Answer>;
  const result = { sessionId: SESSION, messageId: 'msg_1', turn: { id: TURN, state: 'running', stopReason: null } };

  beforeAll(async () => {
    server = createServer((request, response) => {
      const call = describeCall(request);
      requests.push(call);
      lastKey = request.headers['idempotency-key'];
      const answer = answers[call] ?? refuse(404, 'not_found');
      if (answer === 'reset') return void request.socket.destroy();
      const calls = abandoned;
      if (answer === 'hang') return void response.once('close', () => calls.push(call));
      const { status = 200, headers, body } = answer;
      const type = status === 200 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'content-type': type, 'x-request-id': 'req_1', ...headers });
      response.end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    requests = [];
    abandoned = [];
    answers = {
      'GET /me': { body: { data: { token: { scopes: [] } } } },
      [`POST /machines/${MACHINE}/sessions`]: { body: { requestId: 'req_1', result } },
      [`POST /sessions/${SESSION}/messages`]: { body: { requestId: 'req_1', result } },
      [`POST /sessions/${SESSION}/end`]: { body: { requestId: 'req_1', result: {} } },
    };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const start = (more: Record<string, string> = {}, onStarted?: (pid: number) => void) =>
    runAction({ host: url, token: 'svc_pat_x', machine: MACHINE, message: 'hello', ...more }, onStarted);

  describe('in the GitHub action', () => {
    it('sets both IDs if it may not read the turn, and leaves the session active', async () => {
      answers[`GET ${TURN_PATH}`] = refuse(403, 'insufficient_scope');
      const run = await start();
      expect(run).toMatchObject({ code: 1, stderr: '', outputs: { status: 'error', ...IDS } });
      expect(run.stdout).toContain(
        `::error::The turn ${TURN} of the session ${SESSION} may go on. insufficient_scope: `,
      );
      expect(requests).not.toContain(`POST /sessions/${SESSION}/end`);
    });

    it('sets both IDs if it may not read the turn of a message', async () => {
      answers[`GET ${TURN_PATH}`] = refuse(403, 'insufficient_scope');
      const run = await runAction({ host: url, token: 'svc_pat_x', session: SESSION, message: 'hello' });
      expect(run).toMatchObject({ code: 1, outputs: { status: 'error', ...IDS } });
      expect(requests).toEqual([`POST /sessions/${SESSION}/messages`, `GET ${TURN_PATH}`]);
    });

    it.each<[string, Answer]>([
      ['timed_out', 'hang'],
      ['lost', turnIn('lost')],
    ])('leaves the session active if its turn is %s, because the agent may go on', async (status, answer) => {
      answers[`GET ${TURN_PATH}`] = answer;
      const run = await start({ timeout: '1' });
      expect(run).toMatchObject({ code: 1, outputs: { status, ...IDS } });
      expect(requests).not.toContain(`POST /sessions/${SESSION}/end`);
    });

    it('keeps the state of a turn whose reply it cannot read, and ends the session', async () => {
      answers[`GET ${TURN_PATH}`] = completed;
      const run = await start();
      expect(run).toMatchObject({ code: 0, outputs: { status: 'completed', ...IDS } });
      expect(run.stdout).toMatch(/^::warning::The reply is incomplete\. not_found: /m);
      expect(requests).toContain(`POST /sessions/${SESSION}/end`);
    });

    it('sets both IDs if the turn of a cancelled workflow cannot be cancelled', async () => {
      const { outputs, stdout } = await cancelWaitingStep('SIGINT');
      expect(outputs).toMatchObject({ status: 'error', ...IDS });
      expect(stdout).toContain('may go on. not_found: ');
      expect(requests).toContain(`POST ${TURN_PATH}/cancel`);
    });

    it.each(['SIGINT', 'SIGTERM'] as const)('cancels the turn and ends the session after %s', async (signal) => {
      answers[`POST ${TURN_PATH}/cancel`] = { body: { requestId: 'req_1', result: { state: 'cancelled' } } };
      expect(await cancelWaitingStep(signal)).toMatchObject({ outputs: { status: 'cancelled', ...IDS } });
      expect(requests.slice(-2)).toEqual([`POST ${TURN_PATH}/cancel`, `POST /sessions/${SESSION}/end`]);
    });

    it('starts nothing if several machines have the name', async () => {
      const machines = [1, 2].map((n) => ({ id: `mch_${n}`, name: 'build' }));
      answers['GET /machines'] = { body: { data: machines, nextCursor: null } };
      const run = await start({ machine: 'build' });
      expect(run).toMatchObject({ code: 1, outputs: { status: 'error' } });
      expect(run.stdout).toContain('::error::Several machines have this name. Set the ID of one.\n');
      expect(requests).toEqual(['GET /machines']);
    });

    it('shows an error as it is, without what the runner would decode or execute', async () => {
      const detail = '100%0A of\r\n::set-output name=status::forged';
      answers[`POST /machines/${MACHINE}/sessions`] = refuse(400, 'invalid_request', { detail });
      const { stdout } = await start();
      const escaped = '100%250A of%0D%0A::set-output name=status::forged';
      expect(stdout).toContain(`\n::error::invalid_request: ${escaped} (req_1)\n`);
    });

    /** Sends a signal, as the runner does for a cancelled workflow, to a step that waits for its turn. */
    async function cancelWaitingStep(signal: NodeJS.Signals) {
      answers[`GET ${TURN_PATH}`] = 'hang';
      let shell = 0;
      const pending = start({}, (pid) => (shell = pid));
      await waitFor(() => expect(requests).toContain(`GET ${TURN_PATH}`), 20_000);
      process.kill(shell, signal);
      return pending;
    }
  });

  describe('in xapi', () => {
    const createEnv = () => ({ XAPI_HOST: url, XAPI_TOKEN: 'svc_pat_x', XDG_CONFIG_HOME: createTempFolder() });
    const xapi = (...args: string[]) => runXapi(args, createEnv());
    const startAndWait = (...more: string[]) => xapi('start', MACHINE, 'hello', '--wait', '--no-grant', ...more);

    it('adds both IDs to the one line of JSON of an error', async () => {
      answers[`GET ${TURN_PATH}`] = refuse(403, 'insufficient_scope');
      for (const run of [await startAndWait('--json'), await xapi('wait', SESSION, TURN, '--json')]) {
        expect(run).toMatchObject({ code: 1, out: '' });
        const { error } = JSON.parse(run.err) as { error: object };
        expect(error).toMatchObject({ code: 'insufficient_scope', sessionId: SESSION, turnId: TURN });
      }
    });

    it('adds both IDs to the JSON of an error of reading what the agent said, and when the time is up', async () => {
      answers[`GET ${TURN_PATH}`] = completed;
      const unread = JSON.parse((await startAndWait('--json')).err) as object;
      expect(unread).toMatchObject({ error: { code: 'not_found', sessionId: SESSION, turnId: TURN } });
      answers[`GET ${TURN_PATH}`] = 'hang';
      const late = JSON.parse((await startAndWait('--json', '--timeout', '1s')).err) as object;
      expect(late).toMatchObject({ error: { code: 'timeout', sessionId: SESSION, turnId: TURN } });
    });

    it('says how to wait again', async () => {
      answers[`GET ${TURN_PATH}`] = refuse(403, 'insufficient_scope');
      const { code, err } = await startAndWait();
      expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`Session ${SESSION}\n`) });
      expect(err).toMatch(new RegExp(`\\nThe agent may work on\\. Wait again:\\n  xapi wait ${SESSION} ${TURN}\\n$`));
    });

    it('does not exit with 4 if reads are limited, because the message has been delivered', async () => {
      answers[`GET ${TURN_PATH}`] = limited({ outcome: 'not_delivered' });
      for (const run of [await startAndWait('--json'), await xapi('send', SESSION, 'hello', '--wait', '--json')]) {
        expect(run).toMatchObject({ code: 1, out: '' });
        const { error } = JSON.parse(run.err) as { error: object };
        expect(error).toMatchObject({ code: 'rate_limited', sessionId: SESSION, turnId: TURN });
        expect(error).not.toHaveProperty('outcome');
      }
    });

    it.each([
      ['lost', 5, `The turn may go on. Wait again:\n  xapi wait ${SESSION} ${TURN}\n`],
      ['cancelled', 1, 'The turn was cancelled. The agent may have done a part of the work.\n'],
    ])('exits after a turn that was %s with %i', async (state, code, notice) => {
      answers[`GET ${TURN_PATH}`] = turnIn(state);
      answers[`GET /sessions/${SESSION}/messages`] = { body: { data: [], nextCursor: null } };
      expect(await startAndWait()).toMatchObject({ code, out: '', err: expect.stringContaining(notice) });
    });

    it.each([
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const)('says after %s how to wait again, and exits with %i', async (signal, code) => {
      answers[`GET ${TURN_PATH}`] = 'hang';
      const waiting = new XapiProcess(['wait', SESSION, TURN], createEnv());
      await waitFor(() => expect(requests).toContain(`GET ${TURN_PATH}`), 20_000);
      waiting.child.kill(signal);
      const notice = `Interrupted. The agent works on. Wait again:\n  xapi wait ${SESSION} ${TURN}\n`;
      expect(await waiting.exited).toMatchObject({ code, out: '', err: expect.stringContaining(notice) });
      expect(requests).not.toContain(`POST ${TURN_PATH}/cancel`);
    });

    it('says after Ctrl-C in a start how to learn what has become of it', async () => {
      answers[`POST /machines/${MACHINE}/sessions`] = 'hang';
      const starting = new XapiProcess(['start', MACHINE, 'hello', '--wait', '--no-grant'], createEnv());
      await waitFor(() => expect(requests).toContain(`POST /machines/${MACHINE}/sessions`), 20_000);
      starting.child.kill('SIGINT');
      const { code, out, err } = await starting.exited;
      expect({ code, out }).toEqual({ code: 130, out: '' });
      expect(err).toMatch(/Interrupted\. The session may have started\. .+ repeat the same command with:\n/);
      expect(err.endsWith(`\n  --idempotency-key ${String(lastKey)}\n`)).toBe(true);
    });
  });

  describe('in the MCP server', () => {
    const CANCEL = `POST ${TURN_PATH}/cancel`;
    let host: McpHost;

    beforeAll(() => buildMcpServer());
    beforeEach(async () => {
      const token = { id: 'tok_1', scopes: ['sessions:read', 'sessions:write', 'machines:invoke'] };
      answers['GET /me'] = { body: { data: { token } } };
      answers[CANCEL] = { body: { requestId: 'req_1', result: { state: 'cancelled' } } };
      host = await McpHost.start(url, 'svc_pat_x');
    });
    afterEach(() => host.stop());

    /** Cancels a call that waits for its turn, and returns when it has stopped waiting. */
    async function cancelWaitingCall(): Promise<void> {
      answers[`GET ${TURN_PATH}`] = 'hang';
      const controller = new AbortController();
      const { signal } = controller;
      const message = { sessionId: SESSION, text: 'hello', ifBusy: 'steer', waitSeconds: 600 };
      const pending = host.call('send_message', message, { signal });
      await waitFor(() => expect(requests).toContain(`GET ${TURN_PATH}`), 20_000);
      controller.abort();
      await expect(pending).rejects.toThrow();
      await waitFor(() => expect(abandoned).toEqual([`GET ${TURN_PATH}`]));
    }

    it('stops waiting for the turn of a cancelled call, and cancels it', async () => {
      await cancelWaitingCall();
      await waitFor(() => expect(requests).toContain(CANCEL));
    });

    it('stops waiting for a turn that a cancelled call has only joined, and leaves it running', async () => {
      const joined = { ...result, steered: true };
      answers[`POST /sessions/${SESSION}/messages`] = { body: { requestId: 'req_1', result: joined } };
      await cancelWaitingCall();
      // A cancellation would have been sent before this call.
      await host.call('list_sessions', {});
      expect(requests).toContain('GET /sessions');
      expect(requests).not.toContain(CANCEL);
    });

    it('shows 200 values of an option, and says how many it leaves out', async () => {
      const values = Array.from({ length: 201 }, (_, n) => ({ value: `m${n}`, name: `Model ${n}` }));
      const option = { id: 'model', name: 'Model', category: 'model', type: 'select', value: 'm0', values };
      const result = { options: [option, { ...option, values: values.slice(0, 200) }], commands: [] };
      answers[`GET /sessions/${SESSION}/options`] = { body: { requestId: 'req_1', result } };
      const { options } = (await host.call('read_session_options', { sessionId: SESSION })).structuredContent;
      expect(options.map((each: any) => [each.values.length, each.omittedValues])).toEqual([
        [200, 1],
        [200, 0],
      ]);
    });

    it('fails to list sessions if the rate limit refuses a title, which could be there', async () => {
      const session = { id: SESSION, state: 'active', activity: 'idle', machineId: null, context: null };
      answers['GET /sessions'] = { body: { data: [{ ...session, contentGranted: true }], nextCursor: null } };
      answers[`GET /sessions/${SESSION}/content`] = limited();
      const { isError, content } = await host.call('list_sessions', {});
      expect(isError).toBe(true);
      expect(content[0].text).toMatch(/^rate_limited: /);
    });

    const MAY_HAVE_RUN = 'It may have run\\. Check its effect before you repeat it\\.';
    it.each([
      ['of an unknown outcome', refuse(504, 'timeout', { outcome: 'unknown' }), `^timeout: .* ${MAY_HAVE_RUN}$`],
      ['whose answer was lost', 'reset' as const, `^connection_failed: .* ${MAY_HAVE_RUN}$`],
      ['that was limited', limited(), '^rate_limited: .* Make fewer calls\\. Wait 3600 s before the next call\\.$'],
    ])('advises on a command %s', async (_, answer, advice) => {
      answers[`POST /machines/${MACHINE}/invocations`] = answer;
      const { isError, content } = await host.call('run_command', { machineId: MACHINE, command: 'make' });
      expect({ isError, text: content[0].text }).toEqual({ isError: true, text: expect.stringMatching(advice) });
    });
  });
});

function describeCall({ method, url }: IncomingMessage): string {
  return `${method} ${new URL(url!, 'http://localhost').pathname.replace('/external/v1', '')}`;
}
