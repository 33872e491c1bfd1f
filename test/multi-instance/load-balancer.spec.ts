import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LoadBalancer } from './support/load-balancer';

const INVOKE = '/external/v1/machines/mch_00000000000000000000000000/invoke';
const ME = '/external/v1/me';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** deploy/haproxy.cfg before servers that fail in ways that the service is not to be made to. */
describe('what the load balancer does with a request that fails', () => {
  let servers: Server[];
  let balancer: LoadBalancer;
  let seen: string[];
  let behaviour: Behaviour;

  beforeEach(async () => {
    seen = [];
    servers = await Promise.all([0, 1].map((index) => startServer(index)));
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    balancer = await LoadBalancer.start(await LoadBalancer.newPort(), ports);
    seen = [];
  });
  afterEach(async () => {
    await balancer.stop();
    await Promise.all(servers.map(stopServer));
  });

  async function startServer(index: number): Promise<Server> {
    const server = createServer((request, response) => {
      if (request.url!.startsWith('/health/')) return void response.end('{}');
      seen.push(`${request.method} ${index}`);
      behaviour(request, response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  async function stopServer(server: Server): Promise<void> {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  const send = (method: string, path: string) =>
    fetch(balancer.url + path, { method, ...(method === 'POST' && { body: '{"command":"x"}' }) });

  it('never sends a call twice that an instance may have begun', async () => {
    behaviour = (request) => request.socket.destroy();
    const answer = await send('POST', INVOKE);
    expect(seen).toHaveLength(1);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ code: 'device_disconnected', outcome: 'unknown' });
  });

  it('sends a read to the other instance', async () => {
    behaviour = (request, response) => {
      if (seen.length === 1) request.socket.destroy();
      else response.end('read');
    };
    expect(await (await send('GET', ME)).text()).toBe('read');
    expect(new Set(seen)).toEqual(new Set(['GET 0', 'GET 1']));
  });

  it('sends a call to the other instance when one takes no connections', async () => {
    behaviour = (_, response) => void response.end('done');
    await stopServer(servers[0]!);
    const answers = await Promise.all([1, 2, 3, 4].map(() => send('POST', INVOKE)));
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(Array(4).fill('done'));
    expect(seen).toEqual(Array(4).fill('POST 1'));
  });

  it('says that nothing ran where no instance takes connections', async () => {
    await Promise.all(servers.map(stopServer));
    const call = await send('POST', INVOKE);
    expect(call.status).toBe(503);
    expect(call.headers.get('retry-after')).toBe('1');
    const problem = (await call.json()) as { requestId: string };
    expect(problem).toMatchObject({ code: 'service_unavailable', outcome: 'not_delivered' });
    expect(problem.requestId).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(call.headers.get('x-request-id')).toBe(problem.requestId);
    // The client of the tests holds it against the API's document.
    expect((await balancer.http.get(ME)).body.outcome).toBe('not_delivered');
  });
});
