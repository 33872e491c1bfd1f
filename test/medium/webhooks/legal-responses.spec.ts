import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { createSendingServices } from '../../support/webhooks/sending-services';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const INTERIM = 'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n';
const SUCCESS = { status: 200, error: null, response: 'ok' };

describe('a receiver may respond', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];
  const { send, agent } = createSendingServices({ WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  afterAll(async () => {
    await agent.destroy();
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });

  /** Sends a request to a receiver that answers each with these bytes, whole or in pieces. */
  async function exchange(respond: (socket: Socket) => unknown, requests = 1) {
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.on('data', (data) => data.includes('POST ') && void respond(socket));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const results = [];
    for (let n = 0; n < requests; n++) {
      results.push(await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
      // The connection is free for the next request a moment after the response.
      await nextTurn();
    }
    return results.at(-1)!;
  }

  const writeInPieces = async (socket: Socket, text: string) => {
    for (const piece of text.match(/[\s\S]{1,5}/g)!) {
      socket.write(piece, 'latin1');
      await sleep(1);
    }
  };

  describe.each<[string, string, object]>([
    ['with 100 before the final response', `HTTP/1.1 100 Continue\r\n\r\n${OK}`, SUCCESS],
    ['with 102', `HTTP/1.1 102 Processing\r\n\r\n${OK}`, SUCCESS],
    ['with 103', INTERIM + OK, SUCCESS],
    ['with 199', `HTTP/1.1 199 Unknown\r\n\r\n${OK}`, SUCCESS],
    ['with several', `HTTP/1.1 100 Continue\r\n\r\n${INTERIM.repeat(20)}HTTP/1.1 100\r\n\r\n${OK}`, SUCCESS],
    [
      'with 103 that has a length and closes',
      INTERIM.replace('Link', 'Connection: close\r\nContent-Length: 9\r\nLink') + OK,
      SUCCESS,
    ],
    [
      'with 103 before an error',
      `${INTERIM}HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n`,
      { status: 500, error: null },
    ],
    [
      'in chunks',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2;a="b;c"\r\nok\r\n0;z\r\nX: y\r\n\r\n',
      SUCCESS,
    ],
    ['without a reason phrase', OK.replace(' OK', ''), SUCCESS],
    ['with lower-case names', OK.toLowerCase().replace('http', 'HTTP'), SUCCESS],
    ['with tabs', OK.replace(': 2', ':\t2\t'), SUCCESS],
    [
      'with a folded line',
      OK.replace('\r\nC', '\r\nX-A: b\r\n \tc\r\nC'),
      { ...SUCCESS, responseHeaders: { 'x-a': 'b \tc' } },
    ],
    ['with line feeds alone', OK.replaceAll('\r', ''), SUCCESS],
    ['after an empty line', `\r\n${OK}`, SUCCESS],
    ['with bytes that are no ASCII', OK.replace('OK', '\xe9'), SUCCESS],
    ['with a repeated length', OK.replace('\r\nC', '\r\nContent-Length: 2\r\nC'), SUCCESS],
    ['with a list of equal lengths', OK.replace(': 2', ': 2, 2'), SUCCESS],
    ['with 204', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, error: null }],
    ['with 204 and a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n', { status: 204, error: null }],
    [
      'with 304 and the length of what it leaves out',
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n',
      { status: 304, error: 'redirect' },
    ],
    ['with an upgrade that it offers', OK.replace('\r\nC', '\r\nUpgrade: h2c\r\nConnection: upgrade\r\nC'), SUCCESS],
    ['with HTTP/1.0', OK.replace('1.1', '1.0'), SUCCESS],
    [
      'in chunks whose sizes have zeros and capitals',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n00a\r\n0123456789\r\nA;x="\\""\r\n0123456789\r\n0\r\n\r\n',
      { ...SUCCESS, response: '01234567890123456789' },
    ],
    [
      'in chunks that are empty',
      'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      { status: 202, error: null },
    ],
    [
      'with empty members in lists',
      OK.replace('\r\nC', '\r\nTransfer-Encoding: , chunked ,\r\nX').replace(
        '\r\n\r\nok',
        '\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      ),
      SUCCESS,
    ],
    [
      'with names of all characters and empty values',
      OK.replace('\r\nC', "\r\n!#$%&'*+-.^_`|~9: \r\nX:\r\nC"),
      SUCCESS,
    ],
    ['with values that are no ASCII', OK.replace('\r\nC', '\r\nX: \xe9\xff\r\nC'), SUCCESS],
    ['with repeated fields', OK.replace('\r\nC', '\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nC'), SUCCESS],
    [
      'with a hundred fields',
      OK.replace('\r\nC', `${Array.from({ length: 100 }, (_, n) => `\r\nX-${n}: y`).join('')}\r\nC`),
      SUCCESS,
    ],
    ['with a field of 15,000 bytes', OK.replace('\r\nC', `\r\nX: ${'y'.repeat(15_000)}\r\nC`), SUCCESS],
    ['with a status that nobody has registered', OK.replace('200', '299'), { ...SUCCESS, status: 299 }],
    ['with a redirection that nobody has registered', OK.replace('200', '399'), { status: 399, error: 'redirect' }],
    ['with an error that nobody has registered', OK.replace('200', '599'), { status: 599, error: null }],
    ['with 205', 'HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n', { status: 205, error: null }],
    ['with an encoding that was not asked for', OK.replace('\r\nC', '\r\nContent-Encoding: gzip\r\nC'), SUCCESS],
    ['with 407', OK.replace('200', '407'), { status: 407, error: null }],
    ['with 421', OK.replace('200', '421'), { status: 421, error: null }],
    ['with a length with zeros', OK.replace(': 2', ': 0002'), SUCCESS],
    [
      'with a persistent connection by HTTP/1.0',
      OK.replace('1.1', '1.0').replace('\r\nC', '\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\nC'),
      SUCCESS,
    ],
    [
      'with 100 that has fields of its own',
      `HTTP/1.1 100 Continue\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n${OK}`,
      SUCCESS,
    ],
    ['with 103 and line feeds alone', INTERIM.replaceAll('\r', '') + OK, SUCCESS],
    ['with 104 to HTTP/1.0', `HTTP/1.1 104 Upload Resumption Supported\r\n\r\n${OK.replace('1.1', '1.0')}`, SUCCESS],
  ])('%s', (_, text, expected) => {
    it('at once, twice on a connection', async () => {
      expect(await exchange((socket) => socket.write(text, 'latin1'), 2)).toMatchObject(expected);
    });

    it('in pieces', async () => {
      expect(await exchange((socket) => writeInPieces(socket, text))).toMatchObject(expected);
    });
  });

  it.each([
    ['HTTP/1.0 and no length', 'HTTP/1.0 200 OK\r\n\r\nok'],
    ['no length', 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nok'],
    ['an interim response and no length', `${INTERIM}HTTP/1.1 200 OK\r\n\r\nok`],
    [
      'a coding that ends with it',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: Keep-Alive, Close\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    ],
    ['an announced end', OK.replace('\r\nC', '\r\nconnection: close\r\nC')],
  ])('with %s and the end of the connection', async (_, text) => {
    expect(await exchange((socket) => socket.end(text))).toMatchObject(SUCCESS);
  });

  it('with a hundred interim responses to each request', async () => {
    const respond = (socket: Socket) => socket.write(INTERIM.repeat(100) + OK);
    const connections = sockets.length;
    expect(await exchange(respond, 2)).toMatchObject(SUCCESS);
    expect(sockets.length - connections).toBe(1);
  });

  it.each([
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
    ['switches protocols without saying to which', `HTTP/1.1 101 Switching Protocols\r\n\r\n${OK}`],
    ['sends interim responses without end', INTERIM.repeat(101) + OK],
  ])('but fails if it %s', async (_, text) => {
    expect(await exchange((socket) => socket.write(text))).toMatchObject({ status: null, error: 'invalid_response' });
  });

  it('but fails if it closes the connection after an interim response', async () => {
    expect(await exchange((socket) => socket.end(INTERIM))).toMatchObject({ status: null, error: 'connection_lost' });
  });

  it('with interim responses that are no part of its body', async () => {
    const text = `HTTP/1.1 200 OK\r\nContent-Length: ${INTERIM.length}\r\n\r\n${INTERIM}`;
    expect(await exchange((socket) => socket.write(text), 2)).toMatchObject({ status: 200, response: INTERIM });
  });
});
