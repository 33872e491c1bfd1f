import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { RawConnection, type RawHttpResponse } from '../../support/raw-connection';
import { Service } from '../../support/service';

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('a request that fails before its route', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const open: RawConnection[] = [];
  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterEach(() => open.splice(0).forEach((connection) => connection.close()));
  afterAll(() => service?.stop());

  const connect = async () => {
    const connection = await RawConnection.openConnection(service.url);
    open.push(connection);
    return connection;
  };
  const expectProblem = (answer: RawHttpResponse, status: number, code: string) => {
    expect([answer.status, answer.json?.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const requestId = answer.headers.get('x-request-id');
    expect(requestId).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(answer.json).toMatchObject({ status, requestId, type: `${service.url}/docs/errors#${code}` });
  };
  const host = 'Host: test\r\n';

  it.each([
    ['garbage', 'garbage\r\n\r\n', 400, 'malformed_request'],
    ['another protocol', 'GET / SMTP/1.0\r\n\r\n', 400, 'malformed_request'],
    ['an unknown method', `NONSENSE / HTTP/1.1\r\n${host}\r\n`, 400, 'malformed_request'],
    ['a header without a name', `GET / HTTP/1.1\r\n${host}: x\r\n\r\n`, 400, 'malformed_request'],
    ['a line break in a header', `GET / HTTP/1.1\r\n${host}A: b\rc\r\n\r\n`, 400, 'malformed_request'],
    [
      'both lengths of a body',
      `POST / HTTP/1.1\r\n${host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'malformed_request',
    ],
    ['large headers', `GET / HTTP/1.1\r\n${host}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['a long path', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431, 'headers_too_large'],
    ['no host', 'GET /health/live HTTP/1.1\r\n\r\n', 400, 'invalid_request'],
    ['two hosts', `GET /health/live HTTP/1.1\r\n${host}Host: other\r\n\r\n`, 400, 'invalid_request'],
    ['another expectation', `GET / HTTP/1.1\r\n${host}Expect: 200-ok\r\n\r\n`, 417, 'expectation_failed'],
  ])('gets a problem document: %s', async (_, bytes, status, code) => {
    const connection = await connect();
    expectProblem(await connection.exchangeText(bytes), status, code);
    // The service accepts the next request.
    expect((await service.http.get('/health/live')).status).toBe(200);
  });

  it('gets a problem document for chunk extensions that are longer than Node.js reads', async () => {
    const connection = await connect();
    const head =
      `POST /v1/account/external-tokens HTTP/1.1\r\n${host}Authorization: Bearer ${ada.token}\r\n${JSON_TYPE}` +
      'Transfer-Encoding: chunked\r\n\r\n';
    const answer = await connection.exchangeText(`${head}1;${'x'.repeat(20_000)}\r\n`);
    expectProblem(answer, 413, 'payload_too_large');
    expect(answer.headers.get('connection')).toBe('close');
    await connection.closed;
  });

  it('closes the connection if the next request can’t be parsed', async () => {
    const connection = await connect();
    const answer = await connection.exchangeText('garbage\r\n\r\n');
    expect(answer.headers.get('connection')).toBe('close');
    await connection.closed;
    expect(connection.received).toHaveLength(0);
  });

  it('requires no Host header in HTTP/1.0', async () => {
    const connection = await connect();
    expect((await connection.exchangeText('GET /health/live HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('gets its own request id when its body is malformed', async () => {
    const connection = await connect();
    connection.writeText(
      `POST /v1/account/external-tokens HTTP/1.1\r\n${host}Authorization: Bearer ${ada.token}\r\n${JSON_TYPE}` +
        'Transfer-Encoding: chunked\r\n\r\n5\r\n{"nam\r\n',
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    const answer = await connection.exchangeText('not a chunk\r\n');
    expectProblem(answer, 400, 'malformed_request');
    await connection.closed;
    const id = answer.headers.get('x-request-id')!;
    await waitFor(() => expect(service.logs.some((line) => line.includes(id))).toBe(true));
    expect(service.logs.join('')).not.toContain('not a chunk');
  });

  it.each([
    ['the token endpoint', `POST /external/v1/oauth/token HTTP/1.1\r\n${host}${FORM}`],
    ['the page of an app', `POST /external/v1/oauth/authorize HTTP/1.1\r\n${host}${FORM}`],
    ['sign-in', `POST /v1/auth/sign-in HTTP/1.1\r\n${host}${JSON_TYPE}`],
  ])('is a client error when its body is malformed: %s', async (_, head) => {
    for (let n = 0; n < 5; n++) {
      const connection = await connect();
      const answer = await connection.exchangeText(`${head}Transfer-Encoding: chunked\r\n\r\nnot a length\r\n`);
      expect(answer.status).toBeLessThan(500);
      await connection.closed;
    }
    expect(service.logs.filter((line) => line.includes('unexpected error'))).toEqual([]);
  });

  it('doesn’t get the response of the previous call on the connection', async () => {
    const machine = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = (await service.http.post('/v1/machines', machine.token, body)).body.data;
    const { token } = await ada.createToken(['machines:invoke']);
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const socket = await DeviceSocket.connect(service.url, machine.token, ['machine.invoke'], () =>
      released.then(() => ({ ok: true, result: { exitCode: 0 } })),
    );
    const command = '{"command":"true"}';
    const connection = await connect();
    connection.writeText(
      `POST /external/v1/machines/${id}/invoke HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\n${JSON_TYPE}` +
        `Content-Length: ${command.length}\r\n\r\n${command}`,
    );
    await waitFor(() => expect(socket.requests).toHaveLength(1));
    connection.writeText('garbage\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(connection.received).toHaveLength(0);
    release();
    expect(await connection.readResponse()).toMatchObject({ status: 200, json: { result: { exitCode: 0 } } });
    expectProblem(await connection.readResponse(), 400, 'malformed_request');
    await connection.closed;
    socket.close();
  });

  it('is 408 when it does not arrive in time', async () => {
    const server = service.app.getHttpServer();
    const { headersTimeout } = server;
    server.headersTimeout = 500;
    const connection = await connect();
    connection.writeText(`GET /health/live HTTP/1.1\r\n${host}X-Slow: `);
    expectProblem(await connection.readResponse(15_000), 408, 'request_timeout');
    server.headersTimeout = headersTimeout;
    await connection.closed;
  });

  describe('with Expect: 100-continue', () => {
    const expecting = (path: string, length: number, headers: string) =>
      `POST ${path} HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: ${length}\r\n${headers}\r\n`;
    const TOKENS = '/v1/account/external-tokens';
    const body = '{"name": "asked first", "scopes": ["usage:read"]}';

    it('gets 100 Continue when its body is accepted', async () => {
      const connection = await connect();
      const headers = `Authorization: Bearer ${ada.token}\r\n${JSON_TYPE}`;
      expect((await connection.exchangeText(expecting(TOKENS, body.length, headers))).status).toBe(100);
      const answer = await connection.exchangeText(body);
      expect([answer.status, answer.json.data.name]).toEqual([201, 'asked first']);
    });

    it.each([
      ['without a credential', TOKENS, 9_000_000, JSON_TYPE, 401],
      ['with a bad token', TOKENS, 40, `Authorization: Bearer svc_dev_x\r\n${JSON_TYPE}`, 401],
      ['on a path that does not exist', '/nowhere', 40, JSON_TYPE, 404],
      ['with a form too large', '/external/v1/oauth/token', 9_000_000, FORM, 413],
    ])('is rejected before it sends its body: %s', async (_, path, length, headers, status) => {
      const connection = await connect();
      const answer = await connection.exchangeText(expecting(path, length, headers));
      expect(answer.status).toBe(status);
      expect(answer.headers.get('connection')).toBe('close');
      await connection.closed;
    });

    it.each([
      ['too large', 9_000_000, JSON_TYPE, 413],
      ['of another type', 40, 'Content-Type: text/plain\r\n', 415],
    ])('is rejected before it sends a body that is %s', async (_, length, headers, status) => {
      const connection = await connect();
      const auth = `Authorization: Bearer ${ada.token}\r\n`;
      expect((await connection.exchangeText(expecting(TOKENS, length, auth + headers))).status).toBe(status);
    });

    it('gets 100 Continue for an OAuth form', async () => {
      const connection = await connect();
      const form = 'grant_type=authorization_code';
      expect((await connection.exchangeText(expecting('/external/v1/oauth/token', form.length, FORM))).status).toBe(
        100,
      );
      const answer = await connection.exchangeText(form);
      expect(answer.json.error).toMatch(/^invalid_/);
    });
  });
});
