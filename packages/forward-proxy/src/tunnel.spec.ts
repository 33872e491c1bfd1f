import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { parseProxy } from './proxy-settings';
import { createRefusalError, openTunnel } from './tunnel';

const proxy = parseProxy('http://ada:secret@proxy.example:3128', 'HTTPS_PROXY');

describe('a response of a proxy to CONNECT', () => {
  it.each([
    ['refuses to connect to svc.example:443', 'ERR_PROXY_REFUSED', [401, 403, 404, 451]],
    ["can't connect to svc.example:443", 'ERR_PROXY_GATEWAY', [408, 429, 500, 502, 503, 504, 505, 511, 599]],
    ["doesn't answer as an HTTP proxy", 'ERR_PROXY_UNREACHABLE', [101, 301, 302, 307, 400, 405, 410, 421, 426, 501]],
    ['rejects the user name and password in HTTPS_PROXY', 'ERR_PROXY_AUTHENTICATION', [407]],
  ])('that says that it %s is %s', (text, code, statuses) => {
    for (const status of statuses) {
      const error = createRefusalError(proxy, 'svc.example:443', status);
      expect(error).toMatchObject({ code, status, reason: `the proxy proxy.example:3128 ${text} (status ${status})` });
      expect(error.message).not.toMatch(/ada|secret/);
    }
  });

  it.each(['http', 'https'])('that demands a password says how to set it, for a proxy with %s', (scheme) => {
    const open = parseProxy(`${scheme}://proxy.example:3128`, 'HTTPS_PROXY');
    expect(createRefusalError(open, 'svc.example:443', 407)).toMatchObject({
      reason: 'the proxy proxy.example:3128 requires a password (status 407)',
      hint: `Set HTTPS_PROXY to ${scheme}://USER:PASSWORD@proxy.example:3128, with special characters percent-encoded`,
    });
  });
});

describe('a tunnel', () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  const openThroughServer = (scheme = 'http') => {
    const { port } = server.address() as AddressInfo;
    return openTunnel(parseProxy(`${scheme}://127.0.0.1:${port}`, 'HTTPS_PROXY'), 'svc.example:443');
  };
  const acceptRequest = async () => {
    const [socket] = (await once(server, 'connection')) as [Socket];
    await once(socket, 'data');
    return socket;
  };
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('has also the bytes that came with the answer of the proxy', async () => {
    const tunnel = openThroughServer();
    (await acceptRequest()).write('HTTP/1.1 200 OK\r\n\r\nhello');
    const socket = await tunnel;
    expect(String(await once(socket, 'data'))).toBe('hello');
    socket.destroy();
  });

  it('is opened by any status of success', async () => {
    const tunnel = openThroughServer();
    (await acceptRequest()).write('HTTP/1.1 201 Created\r\n\r\n');
    (await tunnel).destroy();
  });

  it.each([
    ['redirects to a page', 'HTTP/1.1 302 Found\r\n\r\n', /doesn't answer as an HTTP proxy \(status 302\)$/],
    ['speaks another protocol', 'SSH-2.0-OpenSSH_9.9\r\n', /doesn't answer as an HTTP proxy \(HPE_\w+\)$/],
    ['ends the connection', '', /can't be reached \(ECONNRESET\)$/],
  ])('is not opened by a server that %s', async (_, answer, reason) => {
    const tunnel = openThroughServer();
    (await acceptRequest()).end(answer);
    await expect(tunnel).rejects.toMatchObject({
      code: 'ERR_PROXY_UNREACHABLE',
      reason: expect.stringMatching(reason),
    });
  });

  it('tells a proxy with TLS its own name, and not that of the host', async () => {
    const { port } = server.address() as AddressInfo;
    const tunnel = openTunnel(parseProxy(`https://localhost:${port}`, 'HTTPS_PROXY'), 'svc.example:443');
    const [socket] = (await once(server, 'connection')) as [Socket];
    const [hello] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    await expect(tunnel).rejects.toMatchObject({ code: 'ERR_PROXY_UNREACHABLE' });
    expect(hello.toString('latin1')).toContain('localhost');
    expect(hello.toString('latin1')).not.toContain('svc.example');
  });

  it.each([
    ['http', 'the request', 'ERR_PROXY_TIMEOUT'],
    ['https', 'the handshake of TLS', 'ERR_PROXY_UNREACHABLE'],
  ])('is given up when the %s proxy has not answered %s for 8 s', async (scheme, _, code) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'Date'] });
    const tunnel = openThroughServer(scheme);
    await acceptRequest();
    jest.advanceTimersByTime(8_000);
    jest.useRealTimers();
    await expect(tunnel).rejects.toMatchObject({ code });
  });
});
