import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { DeviceApiClient } from './device-api-client';

/** Lets timers end sooner. */
function speedTimersUp(factor: number) {
  const startTimer = setTimeout;
  const startSooner = jest.spyOn(globalThis, 'setTimeout');
  return startSooner.mockImplementation((end, ms = 0) => startTimer(end, ms / factor));
}

describe('DeviceApiClient', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([
    'https://user:SECRET@example.com',
    'https://SECRET@example.com',
    'ftp://user:SECRET@x',
    'https://a:SECRET@ b',
  ])('refuses a URL with a password without showing it', (url) => {
    expect(() => new DeviceApiClient(url)).toThrow(/^The URL of the service /);
    expect(() => new DeviceApiClient(url)).not.toThrow('SECRET');
  });

  it.each(['SECRET\nx', 'SECRET\u00e9', 'SECRET x'])(
    'sends no malformed token, and does not show it',
    async (token) => {
      const client = new DeviceApiClient('http://127.0.0.1:9');
      const error = await client.sendRequest('GET', '/v1/devices', { token }).catch((thrown: unknown) => thrown);
      expect(inspect(error, { depth: 9, showHidden: true })).toContain('has characters that no token has');
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('SECRET');
    },
  );

  it.each([
    ['30 seconds', 'GET', '/v1/devices', undefined, 30],
    ['the time that its body takes too', 'POST', '/v1/artifacts', { content: 'x'.repeat(3_200_000 - 14) }, 130],
  ])('gives up a request without an answer after %s', async (_, method, path, body, seconds) => {
    const timers = speedTimersUp(600);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new DeviceApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const answer = client.sendRequest(method, path, { body });
    await expect(answer).rejects.toThrow(`no response within ${seconds} seconds`);
    expect(timers.mock.calls.map(([, ms]) => ms)).toContain(seconds * 1_000);
    server.closeAllConnections();
    server.close();
  });

  it('waits for a slow response as long as something arrives', async () => {
    speedTimersUp(20);
    const body = { data: [], note: 'ä' };
    async function* sendSlowly() {
      for (const byte of Buffer.from(JSON.stringify(body))) {
        yield Buffer.of(byte);
        await sleep(100);
      }
    }
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req_1' });
      Readable.from(sendSlowly()).pipe(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new DeviceApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await client.sendRequest('GET', '/v1/devices')).toEqual(body);
    server.closeAllConnections();
    server.close();
  });

  it('gives up a response after 30 seconds in which nothing arrives', async () => {
    speedTimersUp(60);
    const server = createServer((_, response) => void response.writeHead(200).write('{'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new DeviceApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(client.sendRequest('GET', '/v1/devices')).rejects.toThrow('no response within 30 seconds');
    server.closeAllConnections();
    server.close();
  });

  it('follows no redirect, which could lead signatures and tokens to another server', async () => {
    const targets: string[] = [];
    const server = createServer((request, response) => {
      targets.push(request.url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new DeviceApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const body = { signature: 'x' };
    const error = await client.sendRequest('POST', '/v1/pairings', { body }).catch((thrown: Error) => thrown);
    server.closeAllConnections();
    server.close();
    expect(error).toMatchObject({ name: 'UnreachableError', message: expect.stringContaining('Cannot reach') });
    expect(targets).toEqual(['/v1/pairings']);
  });

  it('says since when it gets no answer of the service, and why, until it gets one', async () => {
    let answer = { status: 200, type: 'text/html', body: '<html>Portal</html>' };
    const server = createServer((_, response) => {
      response.writeHead(answer.status, { 'content-type': answer.type, 'x-request-id': 'req_1' }).end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new DeviceApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const call = () => client.sendRequest('GET', '/v1/devices').catch((thrown: unknown) => thrown);
    expect(client.outage).toBeNull();
    const before = Date.now();
    await call();
    const first = client.outage!;
    expect(first.reason).toContain('answered instead of the service, with status 200 and text/html');
    expect(first.since).toBeGreaterThanOrEqual(before);
    answer = { ...answer, status: 502 };
    await new Promise((resolve) => setTimeout(resolve, 5));
    await call();
    expect(client.outage).toEqual({ since: first.since, reason: expect.stringContaining('status 502') });
    const body = JSON.stringify({ code: 'invalid_token', detail: 'No.', requestId: 'req_1' });
    answer = { status: 401, type: 'application/problem+json', body };
    expect(await call()).toMatchObject({ code: 'invalid_token' });
    expect(client.outage).toBeNull();
    server.closeAllConnections();
    server.close();
  });
});
