import { WATCH_LEASE_MS } from '@external-api/protocol';
import type { LiveTopic, ReceivedWatchLease } from '../../relay-bus';
import { WatchLeaseRegistry } from './watch-lease-registry';

const TOPIC: LiveTopic = { type: 'output', id: 'inv_1' };
const DEVICE = 'dev_1';
const GRACE_MS = 5_000;

describe('WatchLeaseRegistry', () => {
  let registry: WatchLeaseRegistry;
  beforeEach(() => {
    registry = new WatchLeaseRegistry();
  });

  const record = (watcherId: string, now: number, change: Partial<ReceivedWatchLease> = {}) => {
    const lease = { accountId: 'acc_1', deviceId: DEVICE, topic: TOPIC, watcherId, until: now + WATCH_LEASE_MS };
    return registry.recordLease({ ...lease, ...change }, now);
  };
  const end = (watcherId: string, now: number) => record(watcherId, now, { until: now });
  const listWatchers = (now: number, deviceId = DEVICE) => {
    return registry.findTopic(deviceId, TOPIC, now)?.listWatchers(now);
  };

  it('asks the device when the first instance watches, and again at each renewal', () => {
    expect(record('a', 1_000)).toEqual({ topic: TOPIC, until: 31_000 });
    expect(record('a', 11_000)).toEqual({ topic: TOPIC, until: 41_000 });
  });

  it('asks the device every five seconds at most, however many instances watch', () => {
    let requests = 0;
    for (let now = 0; now < 100_000; now += 100) if (record(`watcher-${(now / 100) % 50}`, now)) requests += 1;
    expect(requests).toBe(20);
    expect(listWatchers(99_900)).toHaveLength(50);
  });

  it('asks the device again after the clock was set back', () => {
    const hour = 3_600_000;
    record('a', hour);
    record('b', hour);
    expect(record('a', 1_000)).toEqual({ topic: TOPIC, until: 31_000 });
    expect(record('a', 11_000)).toEqual({ topic: TOPIC, until: 41_000 });
    expect(registry.findTopic(DEVICE, TOPIC, 41_000 + GRACE_MS)).toBeUndefined();
  });

  it('doesn’t ask the device again when the estimated time goes back a little', () => {
    expect(record('a', 10_000)).toEqual({ topic: TOPIC, until: 40_000 });
    expect(record('b', 9_970)).toBeNull();
    expect(record('b', 6_000)).toBeNull();
  });

  it('limits a lease to 30 seconds', () => {
    expect(record('a', 0, { until: 1e15 })).toEqual({ topic: TOPIC, until: WATCH_LEASE_MS });
    expect(listWatchers(WATCH_LEASE_MS + GRACE_MS)).toBeUndefined();
  });

  it('ends the lease of the device with that of the last instance', () => {
    record('a', 0);
    record('b', 1_000);
    expect(end('a', 2_000)).toBeNull();
    expect(listWatchers(2_000)).toEqual(['b']);
    expect(end('b', 3_000)).toEqual({ topic: TOPIC, until: 3_000 });
    expect(listWatchers(3_000)).toEqual([]);
    expect(end('b', 3_000)).toBeNull();
    expect(record('a', 3_100)).toEqual({ topic: TOPIC, until: 33_100 });
  });

  it('does not end the lease of an instance that another one names', () => {
    record('a', 0);
    expect(end('b', 1_000)).toBeNull();
    expect(listWatchers(1_000)).toEqual(['a']);
  });

  it('expects messages for five seconds after a lease has ended or expired', () => {
    record('a', 0);
    expect(listWatchers(WATCH_LEASE_MS + GRACE_MS - 1)).toEqual(['a']);
    expect(listWatchers(WATCH_LEASE_MS + GRACE_MS)).toBeUndefined();
    record('a', 50_000);
    end('a', 51_000);
    expect(registry.findTopic(DEVICE, TOPIC, 51_000 + GRACE_MS - 1)).toBeDefined();
    expect(registry.findTopic(DEVICE, TOPIC, 51_000 + GRACE_MS)).toBeUndefined();
  });

  it('knows topics by device, type and id', () => {
    record('a', 0);
    expect(listWatchers(1, 'dev_2')).toBeUndefined();
    expect(registry.findTopic(DEVICE, { type: 'delta', id: TOPIC.id }, 1)).toBeUndefined();
    expect(registry.findTopic(DEVICE, { type: 'output', id: 'inv_2' }, 1)).toBeUndefined();
  });

  it('repeats the requests for a device that has connected again', () => {
    record('a', 0);
    record('b', 1_000);
    const ended: LiveTopic = { type: 'delta', id: 'ses_1' };
    record('a', 0, { topic: ended });
    record('a', 2_000, { topic: ended, until: 2_000 });
    expect(registry.listRequests(DEVICE, 2_000)).toEqual([{ topic: TOPIC, until: 31_000 }]);
    expect(registry.listRequests('dev_2', 2_000)).toEqual([]);
    expect(registry.listRequests(DEVICE, 40_000)).toEqual([]);
  });

  it('forgets what has expired, and nothing else', () => {
    record('a', 0);
    record('b', 20_000);
    registry.removeExpired(WATCH_LEASE_MS + GRACE_MS);
    expect([registry.topicCount, listWatchers(36_000)]).toEqual([1, ['b']]);
    registry.removeExpired(20_000 + WATCH_LEASE_MS + GRACE_MS);
    expect(registry.topicCount).toBe(0);
  });

  it('remembers a limited number of topics and instances per device', () => {
    for (let n = 0; n < 300; n++) record('a', 0, { topic: { type: 'delta', id: `ses_${n}` } });
    expect(registry.topicCount).toBe(256);
    expect(record('a', 10_000, { topic: { type: 'delta', id: 'ses_0' } })).not.toBeNull();
    for (let n = 0; n < 100; n++) record(`watcher-${n}`, 0, { deviceId: 'dev_2' });
    expect(listWatchers(1, 'dev_2')).toHaveLength(64);
  });
});
