import { Subject } from 'rxjs';
import { WATCH_LEASE_MS } from '@external-api/protocol';
import type { ChangeSignals } from '../../../core/redis';
import type { LiveMessage, WatchLease, RelayBus } from '../../relay-bus';
import type { CallRouteResolver } from '../calls/call-route-resolver';
import { buildDeviceSignal } from '../../device-gateway';
import { LiveOutputService } from './live-output.service';

const settle = () => jest.advanceTimersByTimeAsync(1);

describe('the live output of sessions and invocations', () => {
  let leases: WatchLease[];
  let messages: Subject<LiveMessage>;
  let keys: Subject<string>;
  let isBusAway: boolean;
  let received: string[];
  let service: LiveOutputService;

  beforeEach(() => {
    jest.useFakeTimers();
    [leases, messages, keys, isBusAway, received] = [[], new Subject(), new Subject(), false, []];
    const bus = {
      receivedLiveMessages: messages,
      getServerTime: () => Date.now(),
      sendWatchLease: (lease: WatchLease) => {
        leases.push(lease);
        return isBusAway ? Promise.reject(new Error('away')) : Promise.resolve();
      },
    } as unknown as RelayBus;
    const resolver = { findHostIds: () => Promise.resolve(['dev_1', 'dev_2']) } as unknown as CallRouteResolver;
    service = new LiveOutputService(bus, resolver, { changedKeys: keys } as unknown as ChangeSignals);
    service.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await service.onApplicationShutdown();
  });

  const watch = (listener = (data: string) => void received.push(data)) =>
    service.watchInvocation('acc_1', { invocationId: 'inv_1', deviceId: 'dev_1' }, listener);
  const listTimes = () => leases.map(({ deviceId, until }) => `${deviceId} ${until - Date.now()}`);
  const send = (change: Partial<LiveMessage> = {}) =>
    messages.next({
      accountId: 'acc_1',
      deviceId: 'dev_1',
      topic: { type: 'output', id: 'inv_1' },
      data: 'x',
      ...change,
    });

  it('is asked of the device at once, and again in time', async () => {
    watch();
    expect(listTimes()).toEqual([`dev_1 ${WATCH_LEASE_MS}`]);
    for (let n = 0; n < 10; n++) {
      leases = [];
      await jest.advanceTimersByTimeAsync(WATCH_LEASE_MS / 3);
      expect(leases).toHaveLength(1);
      expect(leases[0]!.until - Date.now()).toBeGreaterThan(WATCH_LEASE_MS / 2);
    }
  });

  it('is asked of all devices that may run the agent of a session', async () => {
    for (const type of ['delta', 'progress'] as const)
      await service.watchSession('acc_1', { sessionId: 'ses_1', type }, () => undefined);
    expect(leases.map(({ deviceId, topic }) => [deviceId, topic])).toEqual([
      ['dev_1', { type: 'delta', id: 'ses_1' }],
      ['dev_2', { type: 'delta', id: 'ses_1' }],
      ['dev_1', { type: 'progress', id: 'ses_1' }],
      ['dev_2', { type: 'progress', id: 'ses_1' }],
    ]);
  });

  it('is asked of a device at once that connects, and of no other', async () => {
    watch();
    leases = [];
    keys.next(buildDeviceSignal('dev_2'));
    keys.next('events/acc_1//evt_1');
    expect(leases).toEqual([]);
    keys.next(buildDeviceSignal('dev_1'));
    expect(listTimes()).toEqual([`dev_1 ${WATCH_LEASE_MS}`]);
    await settle();
  });

  it('is asked for once for all listeners, and ends with the last one', async () => {
    const [stopFirst, stopSecond] = [watch(), watch()];
    expect(leases).toHaveLength(1);
    send();
    expect(received).toEqual(['x', 'x']);
    stopFirst();
    stopFirst();
    send();
    expect(received).toHaveLength(3);
    expect(leases).toHaveLength(1);
    stopSecond();
    // A time that is over by every clock.
    expect(leases.at(-1)).toMatchObject({ deviceId: 'dev_1', until: 0 });
    send();
    expect(received).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(2 * WATCH_LEASE_MS);
    expect(leases).toHaveLength(2);
  });

  it.each<[string, Partial<LiveMessage>]>([
    ['another account', { accountId: 'acc_2' }],
    ['another device', { deviceId: 'dev_2' }],
    ['another invocation', { topic: { type: 'output', id: 'inv_2' } }],
    ['a session with the same id', { topic: { type: 'delta', id: 'inv_1' } }],
  ])('of %s is not delivered', (_, change) => {
    watch();
    send(change);
    expect(received).toEqual([]);
  });

  it('is asked for again after the bus was away', async () => {
    isBusAway = true;
    watch();
    await settle();
    isBusAway = false;
    leases = [];
    await jest.advanceTimersByTimeAsync(WATCH_LEASE_MS / 3);
    expect(leases).toHaveLength(1);
  });
});
