import type { Socket } from 'socket.io';
import type { RelayRequest } from '@external-api/protocol';
import type { DevicePrincipal } from '../../access/auth';
import { DeviceCallLimiter } from './device-call-limiter';
import { DeviceConnection } from './device-connection';

const MAX_UNSENT_BYTES = 4 * 1_048_576;
const REQUEST = { requestId: 'req_1', method: 'machine.invoke' } as RelayRequest;
const REFUSAL = { kind: 'not_delivered', reason: 'relay_unavailable', deviceId: 'dev_1' };

describe('a device connection', () => {
  let sent: [event: string, payload: unknown][];
  let answer: ((error: Error | null, ...answers: unknown[]) => void) | null;
  let connection: DeviceConnection;
  let socket: { connected: boolean; conn: { writeBuffer: { data: string }[]; transport: object } };

  beforeEach(() => {
    [sent, answer] = [[], null];
    const emit = (event: string, payload: unknown, onAnswer?: typeof answer) => {
      sent.push([event, payload]);
      answer = onAnswer ?? answer;
    };
    const emitter = { emit, timeout: () => ({ emit }), disconnect: () => (socket.connected = false) };
    const conn = { writeBuffer: [], transport: { socket: { bufferedAmount: 0 } } };
    socket = Object.assign(emitter, { connected: true, conn });
    connection = new DeviceConnection(
      { deviceId: 'dev_1' } as DevicePrincipal,
      null,
      ['machine.invoke'],
      1,
      socket as unknown as Socket,
      new DeviceCallLimiter(),
      () => 7,
    );
  });
  afterEach(() => answer?.(null, { ok: true, result: {} }));

  const send = () => connection.sendRequest(REQUEST, 1_000, () => undefined);
  const listEvents = () => sent.map(([event]) => event);

  it.each([
    ['this process', (bytes: number) => (socket.conn.writeBuffer = [{ data: 'x'.repeat(bytes) }])],
    ['the WebSocket', (bytes: number) => (socket.conn.transport = { socket: { bufferedAmount: bytes } })],
  ])('refuses calls while more than 4 MiB for the device wait in %s', async (_, fill) => {
    fill(MAX_UNSENT_BYTES + 1);
    expect(await send()).toEqual(REFUSAL);
    expect(sent).toEqual([]);
    fill(MAX_UNSENT_BYTES);
    const call = send();
    expect(sent).toEqual([['relay:request', { ...REQUEST, serverTime: 7 }]]);
    answer!(null, { ok: true, result: { exitCode: 0 } });
    expect(await call).toMatchObject({ kind: 'answered', answer: { kind: 'result', result: { exitCode: 0 } } });
  });

  it('ends once the device has not read 1,000 messages that nobody waits for', () => {
    const terminate = jest.fn();
    socket.conn.transport = { socket: { bufferedAmount: 0, terminate } };
    const notify = [
      () => connection.sendSyncNotification({ resource: 'sessions', id: 'ses_1' } as never),
      () => connection.sendWatchRequest({ type: 'delta', id: 'ses_1' }, 1),
      () => connection.sendWatchRequest({ type: 'progress', id: 'ses_1' }, 1),
      () => connection.sendWatchRequest({ type: 'output', id: 'inv_1' }, 1),
    ];
    socket.conn.writeBuffer = Array(999).fill({ data: 'x' });
    for (const send of notify) send();
    expect([listEvents(), terminate.mock.calls.length]).toEqual([
      ['change', 'turn:watch', 'progress:watch', 'invocation:watch'],
      0,
    ]);
    socket.conn.writeBuffer = Array(1_000).fill({ data: 'x' });
    for (const send of notify) send();
    expect([sent.length, terminate.mock.calls.length]).toEqual([4, 4]);
  });

  it('sends nothing once a newer one has replaced it, tells the device so once, and ends its calls first', async () => {
    const call = send();
    connection.closeReplaced();
    connection.closeReplaced();
    expect(await send()).toBeNull();
    expect([listEvents(), socket.connected]).toEqual([['relay:request', 'relay:replaced'], true]);
    answer!(null, { ok: true, result: {} });
    await call;
    expect(socket.connected).toBe(false);
  });

  it('does not tell the device that it is replaced when the instance stops', () => {
    connection.closeWhenIdle();
    expect([sent, socket.connected]).toEqual([[], false]);
  });
});
