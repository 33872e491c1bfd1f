import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
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
    await proxy.cut();
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

  it('passes everything on once, both ways, however often it is restored', async () => {
    const { socket, heard } = await client();
    await proxy.restore();
    await proxy.restore();
    socket.write('hello');
    await eventually(() => expect(heard()).toBe('hello'));
    await sleep(50);
    expect([received, heard()]).toEqual(['hello', 'hello']);
  });

  it('keeps what is sent into the silence, of old and new connections, and passes it on later', async () => {
    const old = await client();
    old.socket.write('a');
    await eventually(() => expect(old.heard()).toBe('a'));
    proxy.blackhole();
    const young = await client();
    old.socket.write('b');
    young.socket.write('c');
    await sleep(100);
    expect([received, old.heard(), young.heard()]).toEqual(['a', 'a', '']);
    await proxy.restore();
    await eventually(() => expect([old.heard(), young.heard()]).toEqual(['ab', 'c']));
  });

  it('ends connections and refuses new ones when it is cut, and takes them again on the same port', async () => {
    const { socket } = await client();
    const closed = once(socket, 'close');
    await proxy.cut();
    await closed;
    await expect(once(connect(proxy.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    await proxy.restore();
    const { socket: again, heard } = await client();
    again.write('back');
    await eventually(() => expect(heard()).toBe('back'));
  });
});
