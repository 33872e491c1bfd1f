import {
  createAcknowledgement,
  sendRawPackets,
  createBinaryAcknowledgement,
  type RawPacket,
} from '../../support/device/raw-acknowledgements';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const MAX_RESULT_BYTES = 3 * 1_048_576;
const nestedArrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
/** Returns a result of this depth. The object itself is the first level. */
const createNestedAnswer = (levels: number) => `{"ok":true,"result":{"a":${nestedArrays(levels - 1)}}}`;
/** Returns a result of this many bytes of JSON. */
const createSizedAnswer = (bytes: number) => `{"ok":true,"result":{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}}`;
const PLACEHOLDER = '{"_placeholder":true,"num":0}';

describe('a hostile answer', () => {
  let fixture: RelayFixture;
  let neighbour: ConnectedMachine;
  let connectedMachine: ConnectedMachine;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    neighbour = await fixture.createMachine();
    connectedMachine = await fixture.createMachine();
  });
  beforeEach(async () => {
    connectedMachine.socket = await fixture.connectDevice(connectedMachine.device);
  });
  afterEach(() => connectedMachine.socket.close());
  afterAll(() => fixture?.stop());

  /** Calls the hostile machine during a call to another machine, which must not be affected. */
  async function answeredWith(packets: (id: number) => RawPacket[]) {
    sendRawPackets(connectedMachine.socket, packets);
    const during = new Promise<void>((resolve) => {
      neighbour.socket.setHandler(async () => {
        await answered;
        resolve();
        return { ok: true, result: { unharmed: true } };
      });
    });
    const beside = fixture.invokeMachine(neighbour.id);
    const answered = fixture.invokeMachine(connectedMachine.id);
    const httpResponse = await answered;
    await during;
    expect((await beside).body.result).toEqual({ unharmed: true });
    expect((await fixture.service.http.get('/health/live')).status).toBe(200);
    return httpResponse;
  }

  const refused: [what: string, packets: (id: number) => RawPacket[]][] = [
    ['200 KB of nested arrays', (id) => [createAcknowledgement(id, createNestedAnswer(100_000))]],
    [
      '200 KB of nested objects',
      (id) => [createAcknowledgement(id, `{"ok":true,"result":${'{"a":'.repeat(33_000)}1${'}'.repeat(33_000)}}`)],
    ],
    ['65 levels', (id) => [createAcknowledgement(id, createNestedAnswer(65))]],
    ['3 MiB and one byte', (id) => [createAcknowledgement(id, createSizedAnswer(MAX_RESULT_BYTES + 1))]],
    [
      '3 MiB in characters of two bytes',
      (id) => [createAcknowledgement(id, `{"ok":true,"result":{"a":"${'é'.repeat(MAX_RESULT_BYTES / 2)}"}}`)],
    ],
    [
      'a binary member',
      (id) => [createBinaryAcknowledgement(id, `{"ok":true,"result":{"a":${PLACEHOLDER}}}`, Buffer.from('x'))],
    ],
    [
      'a binary result',
      (id) => [createBinaryAcknowledgement(id, `{"ok":true,"result":${PLACEHOLDER}}`, Buffer.from('x'))],
    ],
    [
      'deep nesting with an attachment',
      (id) => [createBinaryAcknowledgement(id, nestedArrays(100_000), Buffer.from('x'))],
    ],
    ['binary alone', (id) => [createBinaryAcknowledgement(id, PLACEHOLDER, Buffer.from('x'))]],
    ['nothing', (id) => [createAcknowledgement(id, '')]],
    ['two arguments', (id) => [createAcknowledgement(id, '{"ok":true,"result":{}},{"ok":true,"result":{}}')]],
    ['a string', (id) => [createAcknowledgement(id, '"ok"')]],
    ['an array', (id) => [createAcknowledgement(id, '[{"ok":true,"result":{}}]')]],
    ['no ok', (id) => [createAcknowledgement(id, '{"result":{}}')]],
    ['ok of another type', (id) => [createAcknowledgement(id, '{"ok":"true","result":{}}')]],
    ['no result', (id) => [createAcknowledgement(id, '{"ok":true}')]],
    ['a number that no double can hold', (id) => [createAcknowledgement(id, '{"ok":true,"result":{"a":[1e400]}}')]],
    ['another such number', (id) => [createAcknowledgement(id, '{"ok":true,"result":{"a":-1e309}}')]],
    ['a null result', (id) => [createAcknowledgement(id, '{"ok":true,"result":null}')]],
    ['an array as its result', (id) => [createAcknowledgement(id, '{"ok":true,"result":[1]}')]],
    ['an error without a code', (id) => [createAcknowledgement(id, '{"ok":false,"error":{"message":"x"}}')]],
    [
      'an error with a code of another type',
      (id) => [createAcknowledgement(id, '{"ok":false,"error":{"code":7,"message":"x"}}')],
    ],
    [
      'an error with a code that is none',
      (id) => [createAcknowledgement(id, '{"ok":false,"error":{"code":"a b\\n","message":"x"}}')],
    ],
    ['an error without a message', (id) => [createAcknowledgement(id, '{"ok":false,"error":{"code":"internal"}}')]],
    ['no error', (id) => [createAcknowledgement(id, '{"ok":false}')]],
    ['__proto__ in place of ok', (id) => [createAcknowledgement(id, '{"__proto__":{"ok":true,"result":{}}}')]],
  ];

  it.each(refused)('of %s is 502 device_error with invalid_answer', async (_, packets) => {
    const httpResponse = await answeredWith(packets);
    const body = expectProblem(httpResponse, 502, 'device_error');
    expect(body.deviceError).toEqual({ code: 'invalid_answer', message: expect.any(String) });
    expect(body.outcome).toBe('answered');
    expect(connectedMachine.socket.socket.connected).toBe(true);
  });

  it.each([
    ['64 levels', createNestedAnswer(64)],
    ['exactly 3 MiB', createSizedAnswer(MAX_RESULT_BYTES)],
    ['members named __proto__ and constructor', '{"ok":true,"result":{"__proto__":{"ok":false},"constructor":1}}'],
    ['more beside its result', '{"ok":true,"result":{},"error":{"code":"x","message":"y"},"status":500}'],
  ])('is passed on unchanged with %s', async (_, text) => {
    const httpResponse = await answeredWith((id) => [createAcknowledgement(id, text)]);
    expect(httpResponse.status).toBe(200);
    expect(JSON.stringify(httpResponse.body.result)).toBe(JSON.stringify(JSON.parse(text).result));
    expect(({} as Record<string, unknown>).ok).toBeUndefined();
  });

  it('is passed on with numbers as doubles and the last of repeated members', async () => {
    const sent =
      '{"a":12345678901234567890,"b":9007199254740991,"c":0.1,"d":1.0,"e":1e-400,"f":-0,"g":1,"g":2,' +
      '"h":"12345678901234567890","i":1.7976931348623157e308}';
    const got =
      '{"a":12345678901234567000,"b":9007199254740991,"c":0.1,"d":1,"e":0,"f":0,"g":2,' +
      '"h":"12345678901234567890","i":1.7976931348623157e+308}';
    sendRawPackets(connectedMachine.socket, (id) => [createAcknowledgement(id, `{"ok":true,"result":${sent}}`)]);
    const response = await fetch(`${fixture.service.url}/external/v1/machines/${connectedMachine.id}/invoke`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${fixture.token}`, 'Content-Type': 'application/json' },
      body: '{"command":"x"}',
    });
    expect(await response.text()).toContain(`"result":${got}`);
  });

  it('counts once if sent twice', async () => {
    const httpResponse = await answeredWith((id) => [
      createAcknowledgement(id, '{"ok":true,"result":{"n":1}}'),
      createAcknowledgement(id, '{"ok":true,"result":{"n":2}}'),
    ]);
    expect(httpResponse.body.result).toEqual({ n: 1 });
    expect(connectedMachine.socket.socket.connected).toBe(true);
  });

  it('to an unknown request has no effect', async () => {
    const httpResponse = await answeredWith((id) => [
      createAcknowledgement(id + 1_000, '{"ok":true,"result":{"n":1}}'),
      createAcknowledgement(id, '{"ok":true,"result":{"n":2}}'),
    ]);
    expect(httpResponse.body.result).toEqual({ n: 2 });
  });

  it('with an error message of a megabyte is truncated', async () => {
    const message = 'm'.repeat(1_000_000);
    const httpResponse = await answeredWith((id) => [
      createAcknowledgement(id, `{"ok":false,"error":{"code":"internal","message":"${message}"}}`),
    ]);
    const { deviceError } = expectProblem(httpResponse, 502, 'device_error');
    expect(deviceError.code).toBe('internal');
    expect(message.startsWith(deviceError.message)).toBe(true);
    expect(deviceError.message.length).toBeLessThan(10_000);
  });

  const disconnected: [what: string, packets: (id: number) => RawPacket[]][] = [
    ['more than the socket takes', (id) => [createAcknowledgement(id, createSizedAnswer(4 * 1_048_576 + 1_000))]],
    ['what is no packet', () => [['9garbage']]],
    ['what is no JSON', (id) => [createAcknowledgement(id, '{')]],
    [
      'an event that no device should send',
      (id) => [['2["error",{"message":"x"}]'], createAcknowledgement(id, '{"ok":true,"result":{"n":1}}')],
    ],
    [
      'more attachments than were announced',
      (id) => [[...createBinaryAcknowledgement(id, PLACEHOLDER), Buffer.from('x')]],
    ],
  ];

  it.each(disconnected)('of %s ends its own connection and no other', async (_, packets) => {
    const httpResponse = await answeredWith(packets);
    expect(expectProblem(httpResponse, 502, 'device_disconnected').outcome).toBe('unknown');
    await connectedMachine.socket.disconnected;
    connectedMachine.socket = await fixture.connectDevice(connectedMachine.device);
    expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
  });
});
