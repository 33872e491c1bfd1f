import { Subject } from 'rxjs';
import type { ChangeSignals } from '../../../core/redis';
import type { ReceivedWatchLease, RelayBus } from '../../relay-bus';
import type { DeviceGateway } from '../device.gateway';
import { buildDeviceSignal } from './device-signals';
import { DeviceWatchService } from './device-watch.service';
import { WatchLeaseRegistry } from './watch-lease-registry';

describe('the requests for live output', () => {
  let leases: Subject<ReceivedWatchLease>;
  let connected: Subject<unknown>;
  let signals: string[];
  let connection: { capabilities: string[]; device: { deviceId: string }; sendWatchRequest: jest.Mock };
  let service: DeviceWatchService;

  beforeEach(() => {
    [leases, connected, signals] = [new Subject(), new Subject(), []];
    connection = { capabilities: ['invocation'], device: { deviceId: 'dev_1' }, sendWatchRequest: jest.fn() };
    const bus = {
      receivedLeases: leases,
      getServerTime: () => 1_000,
      findConnection: (_: string, deviceId: string) => (deviceId === 'dev_1' ? connection : undefined),
    } as unknown as RelayBus;
    const gateway = { connectedDevices: connected } as unknown as DeviceGateway;
    const changeSignals = { sendSignal: (key: string) => signals.push(key) } as unknown as ChangeSignals;
    service = new DeviceWatchService(bus, gateway, new WatchLeaseRegistry(), changeSignals);
    service.onApplicationBootstrap();
  });
  afterEach(() => service.onApplicationShutdown());

  const lease = (type: 'output' | 'delta', id = 'inv_1') =>
    leases.next({
      ...{ accountId: 'acc_1', deviceId: 'dev_1', topic: { type, id }, until: 31_000, watcherId: 'ins_1' },
    });

  it('reach a device that has connected, for what it can send', () => {
    connected.next(connection);
    lease('delta', 'ses_1');
    expect(connection.sendWatchRequest).not.toHaveBeenCalled();
    lease('output');
    expect(connection.sendWatchRequest).toHaveBeenCalledWith({ type: 'output', id: 'inv_1' }, expect.any(Number));
  });

  it('wait for the hello of a device', () => {
    lease('output');
    expect(connection.sendWatchRequest).not.toHaveBeenCalled();
    connected.next(connection);
    expect(connection.sendWatchRequest).toHaveBeenCalledWith({ type: 'output', id: 'inv_1' }, expect.any(Number));
  });

  it('are asked of the other instances when a device connects that can send live output', () => {
    connected.next(connection);
    expect(signals).toEqual([buildDeviceSignal('dev_1')]);
    connection.capabilities = ['machine.invoke'];
    connected.next(connection);
    expect(signals).toHaveLength(1);
  });
});
