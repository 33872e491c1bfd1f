import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { itWith } from '../../support/dependencies';
import { DnsServer } from '../../support/webhooks/dns-server';
import { createSendingServices } from '../../support/webhooks/sending-services';
import { createSelfSignedCertificate } from '../../support/webhooks/self-signed-certificate';

/** Timeout where a test waits for it. */
const TIMEOUT_SECONDS = 4;
/** docs/protocol/webhooks.md#responses */
const CONNECT_TIMEOUT_MS = 10_000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';

/** Handles a connection after the first bytes of a request. */
type Behaviour = (socket: Socket) => unknown;

async function drip(socket: Socket, text: string, everyMs: number): Promise<void> {
  for (const character of text) {
    if (socket.destroyed) return;
    socket.write(character);
    await sleep(everyMs);
  }
}

async function pour(socket: Socket): Promise<void> {
  const chunk = randomBytes(1 << 16);
  while (!socket.destroyed) {
    if (!socket.write(chunk)) await Promise.race([new Promise((r) => socket.once('drain', r)), sleep(1_000)]);
  }
}

/** Listens in a thread that then blocks: the system accepts what fits into the backlog, and answers nobody else. */
const LISTENER = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:worker_threads').parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });`;

/** A listener whose backlog is full. */
class BusyListener {
  private constructor(
    readonly port: number,
    private readonly worker: Worker,
    private readonly backlog: Socket[],
  ) {}

  static async start(): Promise<BusyListener> {
    const worker = new Worker(LISTENER, { eval: true });
    const [port] = (await once(worker, 'message')) as [number];
    const backlog = Array.from({ length: 4 }, () => connect(port, '127.0.0.1'));
    await once(backlog[0]!, 'connect');
    return new BusyListener(port, worker, backlog);
  }

  async stop(): Promise<void> {
    for (const socket of this.backlog) socket.destroy();
    await this.worker.terminate();
  }
}

const bomb = gzipSync(Buffer.alloc(64 * 1_048_576));

describe('a receiver that', () => {
  const servers: Server[] = [];
  const env = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };
  const patient = createSendingServices(env);
  const impatient = createSendingServices({ ...env, WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS) });
  afterAll(async () => {
    for (const server of servers) server.close();
    await Promise.all([patient.agent.destroy(), impatient.agent.destroy()]);
  });

  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };
  const receiver = async (behave: Behaviour, services = patient) => {
    let sent = 0;
    const port = await listen(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => void behave(socket));
        socket.once('close', () => (sent = socket.bytesWritten));
      }),
    );
    const webhookExchange = await services.send(`http://127.0.0.1:${port}/`);
    return { ...webhookExchange, sent: () => sent };
  };

  it.each<[string, Behaviour, object]>([
    ['closes the connection early', (socket) => socket.end(), { status: null, error: 'connection_lost' }],
    ['resets the connection', (socket) => socket.resetAndDestroy(), { status: null, error: 'connection_lost' }],
    ['doesn’t speak HTTP', (socket) => socket.end('220 smtp ready\r\n'), { status: null, error: 'invalid_response' }],
    [
      'closes the connection in the middle of the response',
      (socket) => socket.end(`${HEAD}Content-Length: 100\r\n\r\nhalf`),
      { status: null, error: 'connection_lost' },
    ],
    [
      'sends endless headers',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        void pour(socket);
      },
      { status: null, error: 'invalid_response' },
    ],
    [
      'responds with text',
      (socket) => socket.end(`${HEAD}Content-Length: 4\r\n\r\nfine`),
      { status: 200, error: null, response: 'fine' },
    ],
    [
      'responds with 204',
      (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'),
      { status: 204, error: null, response: '' },
    ],
    [
      'sends a NUL and broken UTF-8',
      (socket) => socket.end(Buffer.from(`${HEAD}Content-Length: 3\r\n\r\na\0\xff`, 'latin1')),
      { status: 200, error: null, response: 'a\ufffd\ufffd' },
    ],
  ])('%s leads to the right exchange', async (_, behave, expected) => {
    expect(await receiver(behave)).toMatchObject(expected);
  });

  it('sends ten gigabytes is read up to 16 KiB and logged up to 4 KiB', async () => {
    const exchange = await receiver((socket) => {
      socket.write(`${HEAD}Content-Length: 10737418240\r\n\r\n`);
      void pour(socket);
    });
    expect(exchange).toMatchObject({ status: 200, error: null });
    expect(exchange.response!.length).toBeLessThanOrEqual(4_096);
    await sleep(200);
    expect(exchange.sent()).toBeLessThan(20 * 1_048_576);
  });

  it('sends a gzip bomb doesn’t have it decompressed', async () => {
    const before = process.memoryUsage().rss;
    const exchange = await receiver((socket) => {
      socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`);
      socket.end(bomb);
    });
    expect(exchange).toMatchObject({ status: 200, error: null });
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1_048_576);
  });

  itWith('openssl')('has an untrusted certificate or no TLS fails before the request', async () => {
    const { key, cert } = await createSelfSignedCertificate();
    const tls = createTlsServer({ key, cert }, (socket) => socket.end(`${HEAD}Content-Length: 0\r\n\r\n`));
    tls.on('tlsClientError', () => undefined);
    const selfSigned = await listen(tls);
    expect(await patient.send(`https://127.0.0.1:${selfSigned}/`)).toMatchObject({
      status: null,
      error: 'tls_failed',
    });
    const plain = await listen(
      createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\n')),
    );
    expect(await patient.send(`https://127.0.0.1:${plain}/`)).toMatchObject({ status: null, error: 'tls_failed' });
  });

  it('doesn’t listen fails the connection', async () => {
    const server = createServer();
    const port = await listen(server);
    server.close();
    expect(await patient.send(`http://127.0.0.1:${port}/`)).toMatchObject({
      status: null,
      error: 'connection_failed',
    });
  });

  it('doesn’t answer at one of its addresses, and refuses at the other one, times out', async () => {
    const names = await DnsServer.start();
    names.addressesByName.set('receiver.test', ['127.0.0.1', '127.0.0.2']);
    const sender = createSendingServices(env, names);
    const busyListener = await BusyListener.start();
    try {
      const url = `http://receiver.test:${busyListener.port}/`;
      expect(await sender.send(url)).toMatchObject({ status: null, error: 'timeout' });
    } finally {
      await sender.agent.destroy();
      names.stop();
      await busyListener.stop();
    }
  });

  it('doesn’t accept the connection times out after half of the time that an exchange has', async () => {
    const busyListener = await BusyListener.start();
    try {
      const { error, durationMs } = await patient.send(`http://127.0.0.1:${busyListener.port}/`);
      expect(error).toBe('timeout');
      expect(durationMs).toBeGreaterThan(CONNECT_TIMEOUT_MS - 500);
      expect(durationMs).toBeLessThan(CONNECT_TIMEOUT_MS + 4_000);
    } finally {
      await busyListener.stop();
    }
  }, 30_000);

  it('hangs, drips or responds late times out after the configured time', async () => {
    const slow: Behaviour[] = [
      () => undefined,
      (socket) => drip(socket, `${HEAD}${'X-Drip: drop\r\n'.repeat(100)}`, 300),
      (socket) => {
        socket.write(`${HEAD}Content-Length: 1000\r\n\r\n`);
        return drip(socket, 'x'.repeat(1_000), 300);
      },
      async (socket) => {
        await sleep((TIMEOUT_SECONDS + 1) * 1_000);
        socket.end(`${HEAD}Content-Length: 0\r\n\r\n`);
      },
    ];
    const all = await Promise.all(slow.map((behave) => receiver(behave, impatient)));
    for (const { status, error, durationMs } of all) {
      expect({ status, error }).toEqual({ status: null, error: 'timeout' });
      expect(durationMs).toBeGreaterThanOrEqual(TIMEOUT_SECONDS * 1_000 - 100);
      expect(durationMs).toBeLessThan(TIMEOUT_SECONDS * 1_000 + 5_000);
    }
  });
});
