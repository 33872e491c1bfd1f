import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { findFreePort } from '../support/find-free-port';
import { itTogether } from '../support/it-together';
import { extendWait, waitFor } from '../support/wait-for';
import { buildMcpServer, MCP_SERVER, MCP_TOOLS, McpHost } from './support/mcp';

/** Less than hosts wait for a list, which is a minute, and more than a start takes on a busy machine. */
const SOON_MS = extendWait(20_000);

beforeAll(() => buildMcpServer());

const refuse: RequestListener = (_, response) => {
  const body = { code: 'service_unavailable', detail: 'The service has no database.', requestId: 'req_1' };
  const headers = { 'content-type': 'application/problem+json', 'x-request-id': 'req_1', 'retry-after': '1' };
  response.writeHead(503, headers).end(JSON.stringify(body));
};
const showPortal: RequestListener = (_, response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in to the hotel</p>');
const stayQuiet: RequestListener = () => undefined;

describe('the MCP server, started before its service can be used', () => {
  let port: number;
  const services: Server[] = [];
  const hosts: McpHost[] = [];

  beforeEach(async () => (port = await findFreePort()));
  afterAll(async () => {
    await Promise.all(hosts.map((host) => host.stop()));
    for (const service of services) {
      service.closeAllConnections();
      service.close();
    }
  });

  async function listen(answer: RequestListener, at = port): Promise<void> {
    const service = createServer(answer).listen(at, '127.0.0.1');
    services.push(service);
    await once(service, 'listening');
  }

  const startHost = async (url = `http://127.0.0.1:${port}`) => {
    const host = await McpHost.start(url, 'svc_pat_x');
    hosts.push(host);
    return host;
  };

  const UNUSABLE: [string, RequestListener | undefined, string | undefined, RegExp][] = [
    ["can't be reached", undefined, undefined, /^connection_failed: .*can't be reached.* VPN/],
    ['has an unknown name', undefined, 'http://no-such-host.invalid', /^connection_failed: .*can't be reached/],
    ['is not available', refuse, undefined, /^service_unavailable: The service has no database\./],
    ['is behind a portal', showPortal, undefined, /^unexpected_response: .* VPN/],
  ];
  const offers = 'offers all tools if it %s, whose calls say what is wrong';
  itTogether(UNUSABLE, offers, async (_, answer, url, message) => {
    const own = await findFreePort();
    if (answer) await listen(answer, own);
    const startedAt = performance.now();
    const started = await startHost(url ?? `http://127.0.0.1:${own}`);
    expect(await started.listToolNames()).toEqual(MCP_TOOLS);
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
    const calls = ['list_machines', 'start_session'].map((tool) => started.call(tool, { machineId: 'mch_1' }));
    for (const { isError, content } of await Promise.all(calls)) {
      expect({ isError, text: content[0].text }).toEqual({ isError: true, text: expect.stringMatching(message) });
      expect(content[0].text).not.toContain('svc_pat_x');
    }
    expect(started.errors).toBe('');
  });

  it('answers the host while the service answers nothing, and ends with the host', async () => {
    await listen(stayQuiet);
    const startedAt = performance.now();
    const started = await startHost();
    expect(await started.listToolNames()).toEqual(MCP_TOOLS);
    await started.stop();
    expect(performance.now() - startedAt).toBeLessThan(SOON_MS);
  });

  it('ends without an error if its host goes before the handshake', async () => {
    await listen(stayQuiet);
    const env = { PATH: process.env.PATH!, XAPI_HOST: `http://127.0.0.1:${port}`, XAPI_TOKEN: 'svc_pat_x' };
    const child = spawn(process.execPath, [MCP_SERVER], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ errors, exitCode }).toEqual({ errors: '', exitCode: 0 });
  });

  it('takes a token that was copied with a line break', async () => {
    const credentials: (string | undefined)[] = [];
    await listen((request, response) => {
      credentials.push(request.headers.authorization);
      refuse(request, response);
    });
    hosts.push(await McpHost.start(`http://127.0.0.1:${port}`, 'svc_pat_x\n'));
    await waitFor(() => expect(credentials).toContain('Bearer svc_pat_x'), 20_000);
  });

  it('limits the tools to the scopes of its token as soon as the service tells them, and says so', async () => {
    const started = await startHost();
    let changes = 0;
    started.client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    expect(await started.listToolNames()).toEqual(MCP_TOOLS);
    await listen((_, response) => {
      const token = { id: 'tok_1', scopes: ['machines:read'] };
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' });
      response.end(JSON.stringify({ data: { token } }));
    });
    await waitFor(() => expect(changes).toBe(1), 20_000);
    expect(await started.listToolNames()).toEqual(['list_machines']);
  });

  it('goes on if the service refuses its token after the host has connected, and says so in each call', async () => {
    const started = await startHost();
    let refusals = 0;
    await listen((_, response) => {
      response.writeHead(401, { 'content-type': 'application/problem+json', 'x-request-id': 'req_1' });
      response.end(JSON.stringify({ code: 'invalid_token', status: 401, detail: 'No.', requestId: 'req_1' }));
      refusals++;
    });
    // The server asks for the scopes of its token again.
    await waitFor(() => expect(refusals).toBe(1), 20_000);
    for (const tool of ['list_machines', 'list_sessions']) {
      const { isError, content } = await started.call(tool, {});
      expect({ isError, text: content[0].text }).toEqual({
        isError: true,
        text: expect.stringMatching(/^invalid_token/),
      });
    }
  });
});
