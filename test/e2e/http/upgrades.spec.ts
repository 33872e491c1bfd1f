import {
  createCurlClient,
  createJavaClient,
  nodeFetchClient,
  type ForeignClient,
} from '../../support/clients/foreign-clients';
import { itWith } from '../../support/dependencies';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { RawConnection } from '../../support/raw-connection';
import { Service } from '../../support/service';

const H2C = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
const TOKENS = '/v1/account/external-tokens';

describe('a request for a protocol upgrade', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['webhooks:manage']));
  });
  afterAll(() => service?.stop());

  const connect = () => RawConnection.openConnection(service.url);
  const get = (path: string, headers: string) =>
    `GET ${path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n`;
  const post = (body: string, headers: string) =>
    `POST ${TOKENS} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${ada.token}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;

  it.each([
    ['h2c', H2C],
    ['a websocket elsewhere', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
    ['several', 'Connection: Upgrade\r\nUpgrade: h2c, websocket\r\n'],
    ['TLS', 'Connection: Upgrade\r\nUpgrade: TLS/1.2\r\n'],
  ])('gets an HTTP/1.1 response like the next one on its connection: %s', async (_, headers) => {
    const connection = await connect();
    for (let n = 0; n < 3; n++) {
      const answer = await connection.exchangeText(get('/external/v1/me', headers));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
      expect(answer.headers.get('upgrade')).toBeNull();
    }
    connection.close();
  });

  it('is processed with its body', async () => {
    const connection = await connect();
    const body = '{"name": "upgraded", "scopes": ["usage:read"]}';
    const answer = await connection.exchangeText(post(body, H2C));
    expect(answer.status).toBe(201);
    expect(answer.json.data.name).toBe('upgraded');
    expect((await connection.exchangeText(get('/external/v1/me', ''))).status).toBe(200);
    connection.close();
  });

  it('gets an HTTP response at the socket path unless it is a WebSocket', async () => {
    const connection = await connect();
    const answer = await connection.exchangeText(get('/v1/devices/socket/?EIO=4&transport=websocket', H2C));
    expect(answer.status).toBe(400);
    connection.close();
  });

  it('opens a device socket', async () => {
    const machine = await ada.pairDevice('machine');
    const socket = await DeviceSocket.connect(service.url, machine.token);
    expect(socket.hello.deviceId).toMatch(/^dev_/);
    socket.close();
  });

  it('is rejected for CONNECT', async () => {
    const connection = await connect();
    const answer = await connection.exchangeText('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n');
    expect(answer.status).toBe(405);
    // RFC 9110 §15.5.6 requires the header. The target of a tunnel supports no method here.
    expect(answer.headers.get('allow')).toBe('');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json.requestId).toBe(answer.headers.get('x-request-id'));
    await connection.closed;
  });

  const served = async (send: ForeignClient) => {
    const answers = await send(token, [
      { method: 'GET', url: `${service.url}/external/v1/me` },
      { method: 'POST', url: `${service.url}/external/v1/webhooks`, body: '{}' },
      { method: 'GET', url: `${service.url}/external/v1/webhooks` },
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200]);
  };
  itWith('curl')('is sent with every request of a client: curl --http2', () => served(createCurlClient('--http2')));
  it("is sent with every request of a client: Node's fetch", () => served(nodeFetchClient));
  itWith('java')("is what every request of a client is: Java's HttpClient", () =>
    served(createJavaClient('HttpClient')),
  );
});
