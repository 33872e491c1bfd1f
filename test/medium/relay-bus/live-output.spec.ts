import { generateId } from '../../../src/common/ids';
import type {
  LiveMessage,
  LiveTopic,
  ReceivedWatchLease,
  WatchLease,
} from '../../../src/modules/relay-bus/live-output';
import { leaseRedis } from '../../support/backend';
import { describeWithServices } from '../../support/postgres';
import { waitFor } from '../../support/wait-for';
import { BusHarness } from './bus-harness';
import { FakeDeviceIdentity } from './fake-device-identity';

const DATA_BYTES = 90_000;

describeWithServices('live output between two instances', () => {
  let lease: Awaited<ReturnType<typeof leaseRedis>>;
  let owner: BusHarness;
  let watcher: BusHarness;
  let identity: FakeDeviceIdentity;
  let leases: ReceivedWatchLease[];
  let messages: LiveMessage[];

  beforeAll(async () => {
    lease = await leaseRedis();
    owner = await BusHarness.startRedis(lease.url, 'owner');
    watcher = await BusHarness.startRedis(lease.url, 'watcher');
    owner.bus.receivedLeases.subscribe((received) => leases.push(received));
    watcher.bus.receivedLiveMessages.subscribe((received) => messages.push(received));
  });
  beforeEach(() => {
    leases = [];
    messages = [];
    identity = new FakeDeviceIdentity(generateId('acc'));
  });
  afterAll(async () => {
    await Promise.all([owner?.stop(), watcher?.stop()]);
    await lease?.release();
  });

  const buildLease = (id: string, type: LiveTopic['type'] = 'output'): WatchLease => {
    const { accountId, deviceId } = identity;
    return { accountId, deviceId, topic: { type, id }, until: watcher.bus.getServerTime() + 30_000 };
  };
  const buildMessage = (data: string): LiveMessage => ({
    accountId: identity.accountId,
    deviceId: identity.deviceId,
    topic: { type: 'output', id: 'inv_1' },
    data,
  });

  it('is asked of the owner of a device that can be watched', async () => {
    await watcher.bus.sendWatchLease(buildLease('while the device is offline'));
    const socket = await owner.connectDevice(identity, ['invocation']);
    await watcher.bus.sendWatchLease({
      ...buildLease('without the capability'),
      topic: { type: 'delta', id: 'ses_1' },
    });
    await watcher.bus.sendWatchLease(buildLease('inv_1'));
    await waitFor(() => expect(leases).toMatchObject([{ ...buildLease('inv_1'), until: expect.any(Number) }]), 20_000);
    expect(leases[0]!.watcherId).toBe('watcher');
    socket.close();
  });

  it('arrives at the watching instance only, as it was sent', async () => {
    const seenByOwner: LiveMessage[] = [];
    const subscription = owner.bus.receivedLiveMessages.subscribe((received) => seenByOwner.push(received));
    const message = buildMessage('{"data":"two\\nlines, é"}');
    expect(owner.bus.sendLiveMessage('watcher', message)).toBe(true);
    await waitFor(() => expect(messages).toMatchObject([message]), 20_000);
    expect(seenByOwner).toEqual([]);
    subscription.unsubscribe();
  });

  it('is dropped while Redis has not confirmed 4 MiB of it', () => {
    const data = 'x'.repeat(DATA_BYTES);
    let sent = 0;
    while (sent < 1_000 && owner.bus.sendLiveMessage('watcher', buildMessage(data))) sent += 1;
    expect(sent * DATA_BYTES).toBeLessThanOrEqual(4 * 1_048_576);
    expect(sent).toBeGreaterThan(10);
  });

  it('is passed on again when Redis has confirmed what was sent', async () => {
    await waitFor(() => expect(owner.bus.sendLiveMessage('watcher', buildMessage('{}'))).toBe(true), 20_000);
  });
});
