import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE } from '../../../src/common/clock';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_SPAN_ID = '00f067aa0ba902b7';

describe('the message of a call to the device', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    fixture.service.advanceClock(3_600_000);
    connectedMachine = await fixture.createMachine();
  });
  beforeEach(() => {
    connectedMachine.socket.requests.length = 0;
    connectedMachine.socket.cancels.length = 0;
    connectedMachine.socket.setHandler(() => ({ ok: true, result: {} }));
  });
  afterAll(() => fixture?.stop());

  const serverTime = () => fixture.service.deviceTime;

  it.each([1, 500, 20_000, 30_000])(
    'has a deadline in server time before the timeout of a %d ms call',
    async (timeoutMs) => {
      const before = serverTime();
      await fixture.invokeMachine(connectedMachine.id, { timeoutMs });
      const after = serverTime();
      const request = connectedMachine.socket.requests[0];
      expect(request.deadline).toBeGreaterThan(after);
      expect(request.deadline).toBeGreaterThanOrEqual(before + request.timeoutMs);
      expect(request.deadline).toBeLessThan(before + request.timeoutMs + 2_000);
      expect(request.deadline).toBeLessThan(before + 30_000);
    },
  );

  it('has the server time, which follows the clock of the service', async () => {
    for (const stepMs of [0, -7_200_000, 7_200_000]) {
      fixture.service.advanceClock(stepMs);
      const before = serverTime();
      await fixture.invokeMachine(connectedMachine.id);
      const { serverTime: sentAt, deadline } = connectedMachine.socket.requests.at(-1);
      // The estimate of the shared clock may go back a little; the steps are hours.
      expect(Math.abs(sentAt - before)).toBeLessThan(MINUTE);
      expect(deadline - sentAt).toBeGreaterThan(20_000);
      expect(deadline - sentAt).toBeLessThan(30_000);
    }
  });

  it('is followed by relay:cancel when the caller without a key closes the connection', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const hangUp = new AbortController();
    const call = fixture.invokeMachine(connectedMachine.id, {}, { signal: hangUp.signal }).catch(() => 'hung up');
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    expect(connectedMachine.socket.cancels).toEqual([]);
    hangUp.abort();
    expect(await call).toBe('hung up');
    await waitFor(() => expect(connectedMachine.socket.cancels).toHaveLength(1));
    const { requestId } = connectedMachine.socket.requests[0];
    expect(connectedMachine.socket.cancels[0]).toEqual({ requestId, reason: expect.any(String) });
  });

  it('is followed by relay:cancel whenever the caller closes the connection', async () => {
    const { socket } = connectedMachine;
    // An answer before the service has noticed the close would be one without a cancellation.
    socket.setHandler(
      ({ requestId }) =>
        new Promise((resolve) =>
          socket.socket.on('relay:cancel', (cancel) => {
            if (cancel.requestId === requestId) resolve({ ok: false, error: { code: 'cancelled', message: '' } });
          }),
        ),
    );
    for (let ms = 0; ms < 24; ms++) {
      const hangUp = new AbortController();
      const call = fixture.invokeMachine(connectedMachine.id, {}, { signal: hangUp.signal }).catch(() => undefined);
      setTimeout(() => hangUp.abort(), ms % 12);
      await call;
      await sleep(20);
    }
    const idsOf = (events: any[]) => events.map(({ requestId }) => requestId).sort();
    await waitFor(() => {
      expect(idsOf(connectedMachine.socket.cancels)).toEqual(idsOf(connectedMachine.socket.requests));
    });
  });

  it('is not followed by relay:cancel after the answer', async () => {
    const hangUp = new AbortController();
    const { body } = await fixture.invokeMachine(connectedMachine.id, {}, { signal: hangUp.signal });
    hangUp.abort();
    await sleep(50);
    // Late ones of the calls before don't count.
    expect(connectedMachine.socket.cancels).not.toContainEqual(expect.objectContaining({ requestId: body.requestId }));
  });

  it('contains the caller’s traceparent', async () => {
    const traceparent = `00-${TRACE_ID}-${PARENT_SPAN_ID}-01`;
    await fixture.invokeMachine(connectedMachine.id, {}, { headers: { traceparent } });
    expect(connectedMachine.socket.requests[0].traceparent).toBe(traceparent);
  });

  it.each([
    ['', 'none'],
    [`00-${TRACE_ID}-${PARENT_SPAN_ID}`, 'without flags'],
    [`00-${TRACE_ID}-${PARENT_SPAN_ID}-01-more`, 'with more'],
    [`00-${TRACE_ID.toUpperCase()}-${PARENT_SPAN_ID}-01`, 'in capitals'],
    [`00-${'0'.repeat(32)}-${PARENT_SPAN_ID}-01`, 'with a trace id of zeros'],
    [`00-${TRACE_ID}-${'0'.repeat(16)}-01`, 'with a parent id of zeros'],
    [`ff-${TRACE_ID}-${PARENT_SPAN_ID}-01`, 'of version ff'],
    [`00-${TRACE_ID.slice(1)}-${PARENT_SPAN_ID}-01`, 'that is too short'],
    ['x'.repeat(5_000), 'that is none'],
  ])('omits a malformed traceparent: "%.60s" (%s)', async (traceparent) => {
    const httpResponse = await fixture.invokeMachine(connectedMachine.id, {}, { headers: { traceparent } });
    expect(httpResponse.status).toBe(200);
    expect(connectedMachine.socket.requests[0]).not.toHaveProperty('traceparent');
  });
});
