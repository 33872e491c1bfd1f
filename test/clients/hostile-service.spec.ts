import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import { runProgram } from '../support/clients/client-package';
import { describeWith } from '../support/dependencies';
import { findFreePort } from '../support/find-free-port';
import { runXapi } from '../support/clients/xapi';
import { createTempFolder } from '../support/temp-folder';
import { runAction } from './support/action-runner';
import { buildMcpServer, MCP_SERVER } from './support/mcp';
import { runPython } from './support/python';

const SECRET = 'svc_pat_SECRETSECRETSECRETSECRET';
const MALFORMED = [`${SECRET}\n${SECRET}`, `${SECRET}\r\nx: y`, `${SECRET}é`, `${SECRET} x`];
const MACHINE = 'mch_00000000000000000000000000';
const INVOCATION = { id: 'inv_1', state: 'completed', exitCode: 0, version: 1, stdoutBytes: 5, stderrBytes: 5 };

/** A page of the sessions of agents after which there is always another one. */
const ENDLESS_PAGE = { requestId: 'req_1', result: { sessions: [], nextCursor: 'again', problems: [] } };
/** A page of output that does not advance. */
const STUCK = { stream: 'stdout', offset: 0, nextOffset: 0, totalBytes: 5, data: 'eHg=', eof: false };

describe('a client of a hostile service', () => {
  let server: Server;
  let url: string;
  let requests: string[];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;

  const sendJson = (response: ServerResponse, body: unknown) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  beforeAll(async () => {
    buildMcpServer();
    server = createServer((request, response) => {
      requests.push(request.url!);
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    requests = [];
    answer = (_, response) => sendJson(response, {});
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const env = () => ({ BASE_URL: url, TOKEN: 'svc_pat_valid' });
  const runWithClient = (code: string, more: object = {}) =>
    runProgram(
      `const { inspect } = await import('node:util');
       const attempt = async (work) => {
         try { return ['done', inspect(await work(), { depth: 9 })]; }
         catch (error) {
           const shown = inspect(error, { depth: 9, showHidden: true });
           return [error.outcome ?? error.code ?? error.name, shown + error.stack];
         }
       };
       ${code}`,
      { env: { ...env(), ...more } },
    );

  describe('shows no secret', () => {
    it.each(MALFORMED)('of a malformed token, and sends nothing: %j', async (token) => {
      const lines = await runWithClient(
        `const token2 = process.env.MALFORMED;
         print(await attempt(() => new ExternalApiClient({ baseUrl, token: token2 })));
         print(await attempt(() => new ExternalApiClient({ baseUrl, token: () => token2 }).me()));`,
        { MALFORMED: token },
      );
      for (const [name, text] of lines) {
        expect(name).toBe('TypeError');
        expect(text).not.toContain('SECRET');
      }
      const xapi = await runXapi(['whoami'], { XAPI_HOST: url, XAPI_TOKEN: token, HOME: createTempFolder() });
      expect([xapi.code, xapi.out + xapi.err]).toEqual([2, expect.not.stringContaining('SECRET')]);
      const login = await runXapi(['login', '--host', url], { HOME: createTempFolder() }, token);
      expect([login.code, login.out + login.err]).toEqual([2, expect.not.stringContaining('SECRET')]);
      const mcp = await runMcp({ XAPI_HOST: url, XAPI_TOKEN: token });
      expect([mcp.code, mcp.text]).toEqual([2, expect.not.stringContaining('SECRET')]);
      const action = await runAction({ host: url, token, machine: MACHINE, command: '["x"]' });
      const shown = action.stdout.replace(/^::add-mask::.*$/gm, '') + action.stderr + action.summary;
      expect([action.code, shown]).toEqual([1, expect.not.stringContaining('SECRET')]);
      expect(requests).toEqual([]);
    });

    it('of a token in what fetch throws, of a URL, of a header and of a body', async () => {
      answer = (_, response) => sendJson(response, `SECRET, which is no JSON`);
      const lines = await runWithClient(`
        print(await attempt(() => new ExternalApiClient({ baseUrl, token: 'svc_pat_SECRET', maxRetries: 0,
          fetch: () => Promise.reject(new TypeError('failed', { cause: new Error('Bearer svc_pat_SECRET') })) }).me()));
        for (const bad of ['https://user:SECRET@example.com', 'https://user:SECRET@ x', 'ftp://user:SECRET@x'])
          print(await attempt(() => new ExternalApiClient({ baseUrl: bad, token })));
        print(await attempt(() => client.request('POST', '/webhooks', { body: {}, headers: { 'x-a': 'SECRET\\n' } })));
        print(await attempt(() => client.request('GET', '/me', { maxRetries: 0 })));
        const secretive = new ExternalApiClient({ baseUrl, token: 'svc_pat_SECRET' });
        print(['inspected', inspect(secretive, { depth: 9, showHidden: true })]);
      `);
      expect(lines).toHaveLength(7);
      for (const [, text] of lines) expect(text).not.toContain('SECRET');
    });
  });

  it('says at once, with the host and the reason, that nothing was sent', async () => {
    const nobody = `http://127.0.0.1:${await findFreePort()}`;
    const lines = await runWithClient(
      `const hosts = [process.env.NOBODY, 'http://127.0.0.1:1', 'https://no-such-host.invalid'];
       for (const each of [...hosts, baseUrl.replace('http', 'https')]) {
         const error = await new ExternalApiClient({ baseUrl: each, token, maxRetries: 1 })
           .request('POST', '/webhooks', { body: {} }).catch((error) => error);
         print([error.outcome, error.message, error.attempts]);
       }`,
      { NOBODY: nobody },
    );
    expect(lines).toEqual([
      [
        'not_delivered',
        expect.stringMatching(/^127\.0\.0\.1:\d+ can't be reached: nothing accepts connections there\.$/),
        2,
      ],
      ['not_delivered', "127.0.0.1:1 can't be reached: fetch refuses this port.", 1],
      ['not_delivered', expect.stringMatching(/^no-such-host\.invalid can't be reached: .*name/), expect.any(Number)],
      ['not_delivered', expect.stringMatching(/^127\.0\.0\.1:\d+ can't be reached: no secure connection/), 1],
    ]);
    const action = await runAction({ host: nobody, token: 'svc_pat_x', machine: MACHINE, command: '["x"]' });
    expect(action.stdout).toContain(
      `connection_failed: ${new URL(nobody).host} can't be reached: nothing accepts connections there.`,
    );
    expect(action.stdout).not.toContain('It may have run');
    expect(action.outputs.status).toBe('not_delivered');
  });

  describe('ends', () => {
    const answerStuck = () => {
      answer = ({ url: path, method }, response) => {
        if (path!.includes('/output')) return sendJson(response, { requestId: 'req_1', result: STUCK });
        if (path!.includes('/events')) {
          response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': 'req_1' });
          const ended = JSON.stringify({ id: null, type: 'invocation.ended', timestamp: 1, data: INVOCATION });
          return response.end(`event: stream.opened\ndata: {}\n\nevent: invocation.ended\ndata: ${ended}\n\n`);
        }
        return sendJson(response, method === 'POST' || path!.includes('/invocations/') ? { data: INVOCATION } : {});
      };
    };
    const countReads = () => requests.filter((path) => path.includes('/output')).length;

    it('when the positions of output do not advance: TypeScript, xapi, action', async () => {
      answerStuck();
      const [bytes] = await runWithClient(
        `let sum = 0;
         for await (const { bytes } of client.machines.invocations('${MACHINE}').follow('inv_1')) sum += bytes.length;
         print(sum);`,
      );
      expect([bytes, countReads()]).toEqual([8, 4]);
      requests = [];
      await runXapi(['run', MACHINE, '--', 'x'], { XAPI_HOST: url, XAPI_TOKEN: 'svc_pat_x', HOME: createTempFolder() });
      expect(countReads()).toBeLessThanOrEqual(4);
      requests = [];
      await runAction({ host: url, token: 'svc_pat_x', machine: MACHINE, command: '["x"]' });
      expect(countReads()).toBe(2);
    });

    it('when a list repeats a cursor', async () => {
      answer = (_, response) => sendJson(response, { data: [{ id: 'ses_1' }], nextCursor: 'again' });
      const [[, text]] = await runWithClient('print(await attempt(() => client.sessions.list().toArray()));');
      expect(text).toContain('The list does not advance');
      expect(requests).toHaveLength(2);
    });

    it('when a machine repeats a cursor of its sessions', async () => {
      answer = (_, response) => sendJson(response, ENDLESS_PAGE);
      const env = { XAPI_HOST: url, XAPI_TOKEN: 'svc_pat_x', HOME: createTempFolder() };
      const { code, out, err } = await runXapi(['continue', MACHINE], env);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toContain('The list does not advance: the machine repeated a cursor.');
      expect(requests).toHaveLength(2);
    });

    describeWith('python3')('in Python', () => {
      const python = (script: string, more: NodeJS.ProcessEnv = {}) =>
        runPython(script, { HOST_URL: url, TOKEN: 'svc_pat_x', ...more });

      it('likewise, and says host and reason', async () => {
        answerStuck();
        expect(await python(`show(len(client.output("${MACHINE}", "inv_1", "stdout")[0]))`)).toEqual([2]);
        expect(countReads()).toBe(1);
        answer = (_, response) => sendJson(response, { ...ENDLESS_PAGE, data: [], nextCursor: 'again' });
        const script = `
try:
    list(client.sessions())
except ApiError as error:
    show(str(error))
try:
    list(client.agent_sessions("${MACHINE}"))
except ApiError as error:
    show(str(error))
try:
    Client("http://no-such-host.invalid", "svc_pat_x").me()
except ConnectionFailed as error:
    show([error.outcome, str(error), repr(client)])
`;
        const [repeated, ofMachine, [outcome, text, shown]] = await python(script);
        expect(repeated).toContain('The list does not advance: the service repeated a cursor.');
        expect(ofMachine).toContain('The list does not advance: the machine repeated a cursor.');
        expect([outcome, shown]).toEqual(['not_delivered', expect.not.stringContaining('svc_pat')]);
        expect(text).toContain("http://no-such-host.invalid can't be reached (gaierror)");
      });
    });
  });
});

/** Runs the MCP server until it exits. */
function runMcp(env: Record<string, string>): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [MCP_SERVER], { env: { PATH: process.env.PATH, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}
