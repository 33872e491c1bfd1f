import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../support/wait-for';
import { TcpProxy } from './tcp-proxy';

describe('TcpProxy', () => {
  let server: Server;
  let proxy: TcpProxy;
  let received = '';
  let sockets: Socket[] = [];

  beforeEach(async () => {
    received = '';
    server = createServer((socket) => {
      socket.on('data', (chunk: Buffer) => (received += chunk.toString())).on('error', () => undefined);
      socket.pipe(socket);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    proxy = await TcpProxy.start((server.address() as AddressInfo).port);
  });
  afterEach(async () => {
    await proxy.cutConnections();
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await new Promise((resolve) => server.close(resolve));
  });

  async function client(): Promise<{ socket: Socket; heard: () => string }> {
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, 'connect');
    return { socket, heard: () => text };
  }

  it('forwards all data once in both directions, even if restored repeatedly', async () => {
    const { socket, heard } = await client();
    await proxy.restoreTraffic();
    await proxy.restoreTraffic();
    socket.write('hello');
    await waitFor(() => expect(heard()).toBe('hello'));
    await sleep(50);
    expect([received, heard()]).toEqual(['hello', 'hello']);
  });

  it('delays data of old and new connections during the silence', async () => {
    const old = await client();
    old.socket.write('a');
    await waitFor(() => expect(old.heard()).toBe('a'));
    proxy.blockTraffic();
    const young = await client();
    old.socket.write('b');
    young.socket.write('c');
    await sleep(100);
    expect([received, old.heard(), young.heard()]).toEqual(['a', 'a', '']);
    await proxy.restoreTraffic();
    await waitFor(() => expect([old.heard(), young.heard()]).toEqual(['ab', 'c']));
  });

  it('closes and rejects connections while cut, and accepts them again on the same port', async () => {
    const { socket } = await client();
    const closed = once(socket, 'close');
    await proxy.cutConnections();
    await closed;
    await expect(once(connect(proxy.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    await proxy.restoreTraffic();
    const { socket: again, heard } = await client();
    again.write('back');
    await waitFor(() => expect(heard()).toBe('back'));
  });
  it('connects new connections to another port after a redirection', async () => {
    const other = createServer((socket) => socket.on('error', () => undefined).end('other'));
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const old = await client();
    proxy.redirectTraffic((other.address() as AddressInfo).port);
    const young = await client();
    old.socket.write('a');
    await waitFor(() => expect([old.heard(), young.heard()]).toEqual(['a', 'other']));
    await new Promise((resolve) => other.close(resolve));
  });
});
