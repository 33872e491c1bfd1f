import { ack, answerRaw, binaryAck, type RawPacket } from '../../support/device/raw-answers';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

const MAX_BYTES = 3 * 1_048_576;
const arrays = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
/** A result of that many levels; the object is the first of them. */
const nested = (levels: number) => `{"ok":true,"result":{"a":${arrays(levels - 1)}}}`;
/** A result of that many bytes as JSON. */
const sized = (bytes: number) => `{"ok":true,"result":{"a":"${'x'.repeat(bytes - '{"a":""}'.length)}"}}`;
const PLACEHOLDER = '{"_placeholder":true,"num":0}';

describe('a hostile answer', () => {
  let scene: RelayScene;
  let neighbour: Machine;
  let machine: Machine;

  beforeAll(async () => {
    scene = await RelayScene.start();
    neighbour = await scene.machine();
    machine = await scene.machine();
  });
  beforeEach(async () => {
    machine.socket = await scene.connect(machine.device);
  });
  afterEach(() => machine.socket.close());
  afterAll(() => scene?.stop());

  /** The call to the hostile machine, made while a neighbour's call runs, which must live. */
  async function answeredWith(packets: (id: number) => RawPacket[]) {
    answerRaw(machine.socket, packets);
    const during = new Promise<void>((resolve) => {
      neighbour.socket.answerWith(async () => {
        await answered;
        resolve();
        return { ok: true, result: { unharmed: true } };
      });
    });
    const beside = scene.invoke(neighbour.id);
    const answered = scene.invoke(machine.id);
    const answer = await answered;
    await during;
    expect((await beside).body.result).toEqual({ unharmed: true });
    expect((await scene.service.http.get('/health/live')).status).toBe(200);
    return answer;
  }

  const refused: [what: string, packets: (id: number) => RawPacket[]][] = [
    ['200 KB of nested arrays', (id) => [ack(id, nested(100_000))]],
    [
      '200 KB of nested objects',
      (id) => [ack(id, `{"ok":true,"result":${'{"a":'.repeat(33_000)}1${'}'.repeat(33_000)}}`)],
    ],
    ['65 levels', (id) => [ack(id, nested(65))]],
    ['3 MiB and one byte', (id) => [ack(id, sized(MAX_BYTES + 1))]],
    [
      '3 MiB in characters of two bytes',
      (id) => [ack(id, `{"ok":true,"result":{"a":"${'é'.repeat(MAX_BYTES / 2)}"}}`)],
    ],
    ['a binary member', (id) => [binaryAck(id, `{"ok":true,"result":{"a":${PLACEHOLDER}}}`, Buffer.from('x'))]],
    ['a binary result', (id) => [binaryAck(id, `{"ok":true,"result":${PLACEHOLDER}}`, Buffer.from('x'))]],
    ['binary alone', (id) => [binaryAck(id, PLACEHOLDER, Buffer.from('x'))]],
    ['nothing', (id) => [ack(id, '')]],
    ['two arguments', (id) => [ack(id, '{"ok":true,"result":{}},{"ok":true,"result":{}}')]],
    ['a string', (id) => [ack(id, '"ok"')]],
    ['an array', (id) => [ack(id, '[{"ok":true,"result":{}}]')]],
    ['no ok', (id) => [ack(id, '{"result":{}}')]],
    ['ok of another type', (id) => [ack(id, '{"ok":"true","result":{}}')]],
    ['no result', (id) => [ack(id, '{"ok":true}')]],
    ['a null result', (id) => [ack(id, '{"ok":true,"result":null}')]],
    ['an array as its result', (id) => [ack(id, '{"ok":true,"result":[1]}')]],
    ['an error without a code', (id) => [ack(id, '{"ok":false,"error":{"message":"x"}}')]],
    ['an error with a code of another type', (id) => [ack(id, '{"ok":false,"error":{"code":7,"message":"x"}}')]],
    ['an error with a code that is none', (id) => [ack(id, '{"ok":false,"error":{"code":"a b\\n","message":"x"}}')]],
    ['an error without a message', (id) => [ack(id, '{"ok":false,"error":{"code":"internal"}}')]],
    ['no error', (id) => [ack(id, '{"ok":false}')]],
    ['__proto__ in place of ok', (id) => [ack(id, '{"__proto__":{"ok":true,"result":{}}}')]],
  ];

  it.each(refused)('of %s is 502 device_error with invalid_answer', async (_, packets) => {
    const answer = await answeredWith(packets);
    const body = problem(answer, 502, 'device_error');
    expect(body.deviceError).toEqual({ code: 'invalid_answer', message: expect.any(String) });
    expect(body.outcome).toBe('answered');
    expect(machine.socket.socket.connected).toBe(true);
  });

  it.each([
    ['64 levels', nested(64)],
    ['exactly 3 MiB', sized(MAX_BYTES)],
    ['members named __proto__ and constructor', '{"ok":true,"result":{"__proto__":{"ok":false},"constructor":1}}'],
    ['more beside its result', '{"ok":true,"result":{},"error":{"code":"x","message":"y"},"status":500}'],
  ])('is none with %s: it passes as sent', async (_, text) => {
    const answer = await answeredWith((id) => [ack(id, text)]);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body.result)).toBe(JSON.stringify(JSON.parse(text).result));
    expect(({} as Record<string, unknown>).ok).toBeUndefined();
  });

  it('given twice counts once, the first', async () => {
    const answer = await answeredWith((id) => [
      ack(id, '{"ok":true,"result":{"n":1}}'),
      ack(id, '{"ok":true,"result":{"n":2}}'),
    ]);
    expect(answer.body.result).toEqual({ n: 1 });
    expect(machine.socket.socket.connected).toBe(true);
  });

  it('to a request that never was harms nothing', async () => {
    const answer = await answeredWith((id) => [
      ack(id + 1_000, '{"ok":true,"result":{"n":1}}'),
      ack(id, '{"ok":true,"result":{"n":2}}'),
    ]);
    expect(answer.body.result).toEqual({ n: 2 });
  });

  it('with an error message of a megabyte is passed on with its beginning', async () => {
    const message = 'm'.repeat(1_000_000);
    const answer = await answeredWith((id) => [
      ack(id, `{"ok":false,"error":{"code":"internal","message":"${message}"}}`),
    ]);
    const { deviceError } = problem(answer, 502, 'device_error');
    expect(deviceError.code).toBe('internal');
    expect(message.startsWith(deviceError.message)).toBe(true);
    expect(deviceError.message.length).toBeLessThan(10_000);
  });

  it('among events that no device should send harms nothing', async () => {
    const answer = await answeredWith((id) => [
      ['2["error",{"message":"x"}]'],
      ['2["relay:request",{}]'],
      ['27["hello",{}]'],
      ack(id, '{"ok":true,"result":{"n":1}}'),
    ]);
    expect(answer.body.result).toEqual({ n: 1 });
  });

  const disconnected: [what: string, packets: (id: number) => RawPacket[]][] = [
    ['more than the socket takes', (id) => [ack(id, sized(4 * 1_048_576 + 1_000))]],
    ['what is no packet', () => [['9garbage']]],
    ['what is no JSON', (id) => [ack(id, '{')]],
    ['deep nesting with an attachment', (id) => [binaryAck(id, arrays(100_000), Buffer.from('x'))]],
  ];

  it.each(disconnected)('of %s ends its own connection and no other', async (_, packets) => {
    const answer = await answeredWith(packets);
    expect(problem(answer, 502, 'device_disconnected').outcome).toBe('unknown');
    await machine.socket.disconnected;
    machine.socket = await scene.connect(machine.device);
    expect((await scene.invoke(machine.id)).status).toBe(200);
  });
});
