import { generateId } from '../../../src/common/ids';
import type { RelayBus } from '../../../src/modules/relay-bus/relay-bus';
import type { DeviceSocket } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import { FakeDeviceIdentity } from './fake-device-identity';

interface NotificationContext {
  bus: RelayBus;
  accountId: string;
  connectDevice: (identity: FakeDeviceIdentity, capabilities: string[]) => Promise<DeviceSocket>;
}

/** Tests of sync notifications that apply to every bus (docs/protocol/device-api.md#sync-notifications). */
export function describeNotificationContract(getContext: () => NotificationContext): void {
  let context: NotificationContext;
  beforeEach(() => {
    context = getContext();
  });

  /** Connects two account devices and two machines, and records which of them were notified of which change. */
  async function connectListeners() {
    const heard: [deviceId: string, changeId: string][] = [];
    const listen = async (kind: 'account' | 'machine') => {
      const { deviceId, ...identity } = new FakeDeviceIdentity(context.accountId, kind);
      const socket = await context.connectDevice({ deviceId, ...identity }, []);
      socket.socket.on('change', ({ id }: { id: string }) => heard.push([deviceId, id]));
      return { deviceId, socket };
    };
    const [phone, laptop] = [await listen('account'), await listen('account')];
    const [host, other] = [await listen('machine'), await listen('machine')];
    return { heard, phone, laptop, host, other };
  }

  it('notifies account devices and the host of a change, but not the device that made it', async () => {
    const { heard, phone, laptop, host } = await connectListeners();
    const { deviceId: hostDeviceId } = host;
    await context.bus.publishSyncNotification(
      generateId('acc'),
      { type: 'session.created', id: 'foreign' },
      { exceptDeviceId: null },
    );
    const change = { type: 'session.updated', id: 'ses_1' };
    await context.bus.publishSyncNotification(context.accountId, change, {
      exceptDeviceId: laptop.deviceId,
      hostDeviceId,
    });
    const last = { type: 'session.updated', id: 'ses_2' };
    await context.bus.publishSyncNotification(context.accountId, last, { exceptDeviceId: hostDeviceId, hostDeviceId });
    await waitFor(() => expect(heard).toHaveLength(4));
    expect(heard).toEqual(
      expect.arrayContaining([
        [phone.deviceId, 'ses_1'],
        [host.deviceId, 'ses_1'],
        [phone.deviceId, 'ses_2'],
        [laptop.deviceId, 'ses_2'],
      ]),
    );
  });

  it('notifies devices of several changes at once, each without its own', async () => {
    const [phone, laptop] = [
      new FakeDeviceIdentity(context.accountId, 'account'),
      new FakeDeviceIdentity(context.accountId, 'account'),
    ];
    const heard: Record<string, unknown[]> = { [phone.deviceId]: [], [laptop.deviceId]: [] };
    for (const identity of [phone, laptop]) {
      const { socket } = await context.connectDevice(identity, []);
      socket.on('change', (change: unknown) => heard[identity.deviceId]!.push(change));
    }
    const [first, second, third] = ['mch_1', 'mch_2', 'mch_3'].map((id) => ({ type: 'machine.online', id }));
    const ownChanges = { [phone.deviceId]: 'mch_1', [laptop.deviceId]: 'mch_2', dev_absent: 'mch_3' };
    const audience = { exceptDeviceId: null, hostDeviceId: null, ownChanges };
    await context.bus.publishSyncNotification(context.accountId, { ...first!, more: [second!, third!] }, audience);
    await context.bus.publishSyncNotification(context.accountId, { ...first!, more: [second!] }, audience);
    await waitFor(() =>
      expect(heard).toEqual({
        [phone.deviceId]: [{ ...second, more: [third] }, second],
        [laptop.deviceId]: [{ ...first, more: [third] }, first],
      }),
    );
  });

  it('notifies no machine of a change whose host is unknown, as from the previous release', async () => {
    const { heard, phone, laptop, host } = await connectListeners();
    await context.bus.publishSyncNotification(
      context.accountId,
      { type: 'session.updated', id: 'ses_1' },
      { exceptDeviceId: null },
    );
    const own = { exceptDeviceId: phone.deviceId, hostDeviceId: host.deviceId };
    await context.bus.publishSyncNotification(context.accountId, { type: 'session.updated', id: 'ses_2' }, own);
    await waitFor(() => expect(heard).toHaveLength(4));
    expect(heard.filter(([deviceId]) => deviceId === host.deviceId)).toEqual([[host.deviceId, 'ses_2']]);
    expect(heard.filter(([deviceId]) => deviceId === laptop.deviceId)).toHaveLength(2);
  });
}
