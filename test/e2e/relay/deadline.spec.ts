import { setTimeout as sleep } from 'node:timers/promises';
import { NO_ANSWER } from '../../support/device/device-socket';
import { eventually } from '../../support/eventually';
import { RelayScene, type Machine } from '../../support/relay-scene';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('what a device is told of a call', () => {
  let scene: RelayScene;
  let machine: Machine;

  beforeAll(async () => {
    scene = await RelayScene.start();
    scene.service.advance(3_600_000);
    machine = await scene.machine();
  });
  beforeEach(() => {
    machine.socket.requests.length = 0;
    machine.socket.cancels.length = 0;
    machine.socket.answerWith(() => ({ ok: true, result: {} }));
  });
  afterAll(() => scene?.stop());

  const serverTime = () => scene.service.deviceTime;

  it.each([1, 500, 20_000, 30_000])(
    'is a deadline in server time, before the caller of %d ms is told of a time-out',
    async (timeoutMs) => {
      const before = serverTime();
      await scene.invoke(machine.id, { timeoutMs });
      const after = serverTime();
      const request = machine.socket.requests[0];
      expect(request.deadline).toBeGreaterThan(after);
      expect(request.deadline).toBeGreaterThanOrEqual(before + request.timeoutMs);
      expect(request.deadline).toBeLessThan(before + request.timeoutMs + 2_000);
      expect(request.deadline).toBeLessThan(before + 30_000);
    },
  );

  it('is relay:cancel when the caller of a call without a key hangs up', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const hangUp = new AbortController();
    const call = scene.invoke(machine.id, {}, { signal: hangUp.signal }).catch(() => 'hung up');
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    expect(machine.socket.cancels).toEqual([]);
    hangUp.abort();
    expect(await call).toBe('hung up');
    await eventually(() => expect(machine.socket.cancels).toHaveLength(1));
    const { requestId } = machine.socket.requests[0];
    expect(machine.socket.cancels[0]).toEqual({ requestId, reason: expect.any(String) });
  });

  it('is relay:cancel whenever the caller hangs up, early or late', async () => {
    machine.socket.answerWith(() => sleep(100).then(() => ({ ok: false, error: { code: 'cancelled', message: '' } })));
    for (let ms = 0; ms < 24; ms++) {
      const hangUp = new AbortController();
      const call = scene.invoke(machine.id, {}, { signal: hangUp.signal }).catch(() => undefined);
      setTimeout(() => hangUp.abort(), ms % 12);
      await call;
      await sleep(20);
    }
    const idsOf = (events: any[]) => events.map(({ requestId }) => requestId).sort();
    await eventually(() => {
      expect(idsOf(machine.socket.cancels)).toEqual(idsOf(machine.socket.requests));
    });
  });

  it('is no relay:cancel once it has answered', async () => {
    const hangUp = new AbortController();
    await scene.invoke(machine.id, {}, { signal: hangUp.signal });
    hangUp.abort();
    await sleep(50);
    expect(machine.socket.cancels).toEqual([]);
  });

  it('is the caller’s traceparent', async () => {
    const traceparent = `00-${TRACE}-${PARENT}-01`;
    await scene.invoke(machine.id, {}, { headers: { traceparent } });
    expect(machine.socket.requests[0].traceparent).toBe(traceparent);
  });

  it.each([
    ['', 'none'],
    [`00-${TRACE}-${PARENT}`, 'without flags'],
    [`00-${TRACE}-${PARENT}-01-more`, 'with more'],
    [`00-${TRACE.toUpperCase()}-${PARENT}-01`, 'in capitals'],
    [`00-${'0'.repeat(32)}-${PARENT}-01`, 'with a trace id of zeros'],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, 'with a parent id of zeros'],
    [`ff-${TRACE}-${PARENT}-01`, 'of version ff'],
    [`00-${TRACE.slice(1)}-${PARENT}-01`, 'that is too short'],
    ['x'.repeat(5_000), 'that is none'],
  ])('is no traceparent out of form: "%.60s" (%s)', async (traceparent) => {
    const answer = await scene.invoke(machine.id, {}, { headers: { traceparent } });
    expect(answer.status).toBe(200);
    expect(machine.socket.requests[0]).not.toHaveProperty('traceparent');
  });
});
