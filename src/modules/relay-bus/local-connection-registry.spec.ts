import type { Capability } from '@external-api/protocol';
import type { DeviceConnection } from './device-connection';
import { LocalConnectionRegistry } from './local-connection-registry';
import type { DeviceCandidate } from './relay-call';

interface ConnectionOptions {
  accountId?: string;
  deviceKind?: 'account' | 'machine';
  epoch?: number;
  capabilities?: Capability[];
}

function createConnection(deviceId: string, options: ConnectionOptions = {}) {
  const { accountId = 'acc_1', deviceKind = 'account', epoch = 1, capabilities = ['session.message'] } = options;
  return { device: { accountId, deviceId, deviceKind }, epoch, capabilities } as unknown as DeviceConnection;
}

describe('choice of the device', () => {
  const registry = new LocalConnectionRegistry();
  const host = createConnection('dev_host', { deviceKind: 'machine', epoch: 9 });
  const older = createConnection('dev_older', { epoch: 3 });
  const newer = createConnection('dev_newer', { epoch: 4 });
  const newestWithout = createConnection('dev_newest', { epoch: 5, capabilities: ['machine.invoke'] });
  const foreign = createConnection('dev_foreign', { accountId: 'acc_2', epoch: 6 });
  for (const connection of [older, newer, newestWithout, host, foreign]) registry.addConnection(connection);

  it.each<{ name: string; candidates: DeviceCandidate[]; chosen: DeviceConnection | undefined }>([
    { name: 'the first that is online', candidates: [{ deviceId: 'dev_host' }, { newest: 'account' }], chosen: host },
    {
      name: 'the next one if the first is offline',
      candidates: [{ deviceId: 'dev_offline' }, { deviceId: 'dev_older' }, { newest: 'account' }],
      chosen: older,
    },
    {
      name: 'the next one if the first lacks the capability',
      candidates: [{ deviceId: 'dev_newest' }, { deviceId: 'dev_older' }],
      chosen: older,
    },
    {
      name: 'the account device with the highest epoch that has the capability',
      candidates: [{ newest: 'account' }],
      chosen: newer,
    },
    {
      name: 'none if the only candidate lacks the capability',
      candidates: [{ deviceId: 'dev_newest' }],
      chosen: undefined,
    },
    { name: 'none of another account', candidates: [{ deviceId: 'dev_foreign' }], chosen: undefined },
    { name: 'none without candidates', candidates: [], chosen: undefined },
  ])('is $name', ({ candidates, chosen }) => {
    expect(registry.chooseConnection('acc_1', candidates, 'session.message')).toBe(chosen);
  });

  it('finds nothing for an account without connections', () => {
    expect(registry.chooseConnection('acc_3', [{ newest: 'account' }], 'session.message')).toBeUndefined();
  });

  it('never takes a machine device as the newest account device', () => {
    const machineOnly = new LocalConnectionRegistry();
    machineOnly.addConnection(createConnection('dev_machine', { deviceKind: 'machine' }));
    expect(machineOnly.chooseConnection('acc_1', [{ newest: 'account' }], 'session.message')).toBeUndefined();
  });
});

describe('the current connection of a device', () => {
  it.each([
    { name: 'a higher epoch', epochs: [1, 2], current: 1 },
    { name: 'the same epoch', epochs: [2, 2], current: 1 },
    { name: 'a lower epoch', epochs: [2, 1], current: 0 },
  ])('after a second connection with $name supersedes the other one', ({ epochs, current }) => {
    const registry = new LocalConnectionRegistry();
    const connections = epochs.map((epoch) => createConnection('dev_1', { epoch }));
    expect(registry.addConnection(connections[0]!)).toBeUndefined();
    expect(registry.addConnection(connections[1]!)).toBe(connections[1 - current]);
    expect(registry.findConnection('acc_1', 'dev_1')).toBe(connections[current]);
    expect(registry.connectionCount).toBe(2);
  });

  it('stays when a superseded connection is removed', () => {
    const registry = new LocalConnectionRegistry();
    const [first, second] = [1, 2].map((epoch) => createConnection('dev_1', { epoch }));
    registry.addConnection(first!);
    registry.addConnection(second!);
    registry.removeConnection(first!);
    expect(registry.findConnection('acc_1', 'dev_1')).toBe(second);
    registry.removeConnection(second!);
    expect(registry.findConnection('acc_1', 'dev_1')).toBeUndefined();
    expect(registry.connectionCount).toBe(0);
  });
});
