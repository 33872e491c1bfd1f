import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RawConnection } from '../support/raw-connection';
import { LoadBalancer } from './support/load-balancer';

const INVOKE = '/external/v1/machines/mch_00000000000000000000000000/invoke';
const ME = '/external/v1/me';

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** deploy/haproxy.cfg in front of test servers, which fail in ways that the service can't be made to fail. */
describe('a failing request at the load balancer', () => {
  let servers: Server[];
  let balancer: LoadBalancer;
  let seen: string[];
  let behaviour: Behaviour;

  beforeEach(async () => {
    seen = [];
    servers = await Promise.all([0, 1].map((index) => startServer(index)));
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    balancer = await LoadBalancer.start(await LoadBalancer.findPort(), ports);
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
    fetch(balancer.url + path, { method, ...(method !== 'GET' && { body: '{"command":"x"}' }) });

  it('never sends a call twice that an instance may have started', async () => {
    behaviour = (request) => request.socket.destroy();
    const answer = await send('POST', INVOKE);
    expect(seen).toHaveLength(1);
    expect(answer.status).toBe(502);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ code: 'device_disconnected', outcome: 'unknown' });
  });

  it('responds on a reused connection when the instance is lost', async () => {
    behaviour = ({ method, socket }, response) => {
      if (method === 'POST') socket.destroy();
      else response.end('read');
    };
    const connection = await RawConnection.openConnection(balancer.url);
    for (let n = 0; n < 3; n++) {
      expect((await connection.exchangeText(`GET ${ME} HTTP/1.1\r\nHost: test\r\n\r\n`)).body).toBe('read');
    }
    const call = `POST ${INVOKE} HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}`;
    for (let n = 1; n <= 3; n++) {
      const answer = await connection.exchangeText(call);
      expect([answer.status, answer.json.outcome]).toEqual([502, 'unknown']);
      expect(seen.filter((request) => request.startsWith('POST'))).toHaveLength(n);
    }
    connection.close();
  });

  it('recognizes relayed calls by their path', async () => {
    behaviour = (request) => request.socket.destroy();
    const changed = await send('PATCH', '/external/v1/sessions/ses_00000000000000000000000000/options');
    expect(await changed.json()).toMatchObject({ status: 502, code: 'device_disconnected', outcome: 'unknown' });
    expect(seen).toEqual([expect.stringMatching(/^PATCH /)]);
    for (const path of [`${INVOKE}/`, INVOKE.toUpperCase(), INVOKE.replace('/invoke', '')]) {
      const problem = (await (await send('POST', path)).json()) as object;
      expect(problem).toMatchObject({ status: 502, code: 'service_unavailable' });
      expect(problem).not.toHaveProperty('outcome');
    }
  });

  it('forwards only upgrades of device sockets (RFC 9110 §7.8)', async () => {
    const upgrades: unknown[] = [];
    behaviour = ({ headers }, response) => {
      upgrades.push(headers.upgrade);
      response.end();
    };
    servers.forEach((server) =>
      server.on('upgrade', (request: IncomingMessage, socket) => {
        socket.on('error', () => undefined);
        upgrades.push(request.headers.upgrade);
        socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
      }),
    );
    const ask = async (path: string, protocol: string) => {
      const connection = await RawConnection.openConnection(balancer.url);
      await connection.exchangeText(
        `GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
      );
      connection.close();
    };
    await ask(ME, 'h2c');
    await ask(ME, 'websocket');
    await ask('/v1/devices/socket/?EIO=4&transport=websocket', 'websocket');
    expect(upgrades).toEqual([undefined, undefined, 'websocket']);
  });

  it('forwards large headers and Expect to the instance', async () => {
    behaviour = ({ headers }, response) => void response.writeHead(431).end(String(headers.x?.length)).req.resume();
    const [large, expecting] = [
      await RawConnection.openConnection(balancer.url),
      await RawConnection.openConnection(balancer.url),
    ];
    const filler = 'x'.repeat(14_000);
    const answer = await large.exchangeText(`GET ${ME} HTTP/1.1\r\nHost: test\r\nX: ${filler}\r\n\r\n`);
    expect([answer.status, answer.body]).toEqual([431, '14000']);
    large.close();
    // More than an instance accepts.
    const beyond = await RawConnection.openConnection(balancer.url);
    const refused = await beyond.exchangeText(`GET ${ME} HTTP/1.1\r\nHost: test\r\nX: ${filler}${filler}\r\n\r\n`);
    expect(refused.status).toBe(431);
    beyond.close();
    const first = await expecting.exchangeText(
      `POST ${INVOKE} HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    );
    expect(first.status).toBe(100);
    expecting.close();
  });

  it('responds to a malformed body with a problem document', async () => {
    behaviour = (request) => void request.resume();
    const connection = await RawConnection.openConnection(balancer.url);
    connection.writeText(`POST ${INVOKE} HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const answer = await connection.exchangeText('not a chunk\r\n');
    expect([answer.status, answer.json?.code]).toEqual([400, 'malformed_request']);
    expect(answer.headers.get('x-request-id')).toBe(answer.json.requestId);
    connection.close();
  });

  it('retries a read on the other instance', async () => {
    behaviour = (request, response) => {
      if (seen.length === 1) request.socket.destroy();
      else response.end('read');
    };
    expect(await (await send('GET', ME)).text()).toBe('read');
    expect(new Set(seen)).toEqual(new Set(['GET 0', 'GET 1']));
  });

  it('sends a call to the other instance if one rejects connections', async () => {
    behaviour = (_, response) => void response.end('done');
    await stopServer(servers[0]!);
    const answers = await Promise.all([1, 2, 3, 4].map(() => send('POST', INVOKE)));
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(Array(4).fill('done'));
    expect(seen).toEqual(Array(4).fill('POST 1'));
  });

  it('reports not_delivered if no instance accepts connections', async () => {
    await Promise.all(servers.map(stopServer));
    const call = await send('POST', INVOKE);
    expect(call.status).toBe(503);
    expect(call.headers.get('retry-after')).toBe('1');
    const problem = (await call.json()) as { requestId: string };
    expect(problem).toMatchObject({ code: 'service_unavailable', outcome: 'not_delivered' });
    expect(problem.requestId).toMatch(/^req_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect(call.headers.get('x-request-id')).toBe(problem.requestId);
    // The test client validates it against the API's document.
    expect((await balancer.http.get(ME)).body.outcome).toBe('not_delivered');
  });
});
