import { Test } from '@nestjs/testing';
import { Registry } from 'prom-client';
import { MAX_LIVE_OUTPUT_BYTES } from '@external-api/protocol';
import { generateId } from '../../../common/ids';
import { RelayBus } from '../../relay-bus';
import { LiveOutputMetrics } from './live-output-metrics';
import { LiveOutputReceiver } from './live-output-receiver';
import { WatchLeaseRegistry } from './watch-lease-registry';

const INVOCATION_ID = generateId('inv');
const TOPIC = { type: 'output', id: INVOCATION_ID } as const;
const DATA = Buffer.alloc(MAX_LIVE_OUTPUT_BYTES).toString('base64');
const OUTPUT = { invocationId: INVOCATION_ID, stream: 'stdout', offset: 0, data: DATA };
const PACKET = `2${JSON.stringify(['output', OUTPUT])}`;
/** Two seconds at 8 MiB per second. */
const ACCOUNT_BURST_BYTES = 2 * 8 * 1_048_576;
/** Two seconds at 32 MiB per second. */
const INSTANCE_BURST_BYTES = 2 * 32 * 1_048_576;

describe('live output that devices send', () => {
  let receiver: LiveOutputReceiver;
  let leases: WatchLeaseRegistry;
  let isBusAvailable: boolean;
  const sendLiveMessage = jest.fn(() => isBusAvailable);

  beforeEach(async () => {
    jest.useFakeTimers();
    sendLiveMessage.mockClear();
    isBusAvailable = true;
    const module = await Test.createTestingModule({
      providers: [
        LiveOutputReceiver,
        WatchLeaseRegistry,
        LiveOutputMetrics,
        { provide: Registry, useValue: new Registry() },
        { provide: RelayBus, useValue: { sendLiveMessage, getServerTime: () => 1_000 } },
      ],
    }).compile();
    [receiver, leases] = [module.get(LiveOutputReceiver), module.get(WatchLeaseRegistry)];
  });
  afterEach(() => jest.useRealTimers());

  const createDevice = (accountId: string, deviceId: string, watchers = ['ins_1']) => {
    const lease = { accountId, deviceId, topic: TOPIC, until: 30_000 };
    for (const watcherId of watchers) leases.recordLease({ ...lease, watcherId }, 1_000);
    return { device: { accountId, deviceId }, capabilities: ['invocation'] as const };
  };

  it('is passed on to each instance that watches', () => {
    const sender = createDevice('acc_1', 'dev_1', ['ins_1', 'ins_2']);
    expect(receiver.receivePacket(sender, PACKET)).toBe('allowed');
    expect(sendLiveMessage.mock.calls.map(([watcherId]: unknown[]) => watcherId)).toEqual(['ins_1', 'ins_2']);
  });

  it('counts as unrequested if nobody watches, and is invalid without the capability', () => {
    const unwatched = createDevice('acc_1', 'dev_1', []);
    expect(receiver.receivePacket(unwatched, PACKET)).toBe('counted');
    expect(receiver.receivePacket({ ...unwatched, capabilities: [] }, PACKET)).toBe('invalid');
    expect(sendLiveMessage).not.toHaveBeenCalled();
  });

  it('of all devices of an account is limited together, which leaves other accounts alone', () => {
    const possible = Math.floor(ACCOUNT_BURST_BYTES / PACKET.length);
    // A device itself may send two seconds at 1 MiB per second.
    for (let n = 0; n < 12; n++) {
      const sender = createDevice('acc_1', `dev_${n}`);
      for (let packet = 0; packet < 32; packet++) expect(receiver.receivePacket(sender, PACKET)).toBe('allowed');
    }
    expect(sendLiveMessage).toHaveBeenCalledTimes(possible);
    receiver.receivePacket(createDevice('acc_2', 'dev_other'), PACKET);
    expect(sendLiveMessage).toHaveBeenCalledTimes(possible + 1);
  });

  it('of all accounts is limited together', () => {
    for (let n = 0; n < 30; n++) {
      const sender = createDevice(`acc_${n % 5}`, `dev_${n}`);
      for (let packet = 0; packet < 32; packet++) expect(receiver.receivePacket(sender, PACKET)).toBe('allowed');
    }
    expect(sendLiveMessage).toHaveBeenCalledTimes(Math.floor(INSTANCE_BURST_BYTES / PACKET.length));
  });

  it('is dropped without a consequence for the device while the bus is not available', () => {
    isBusAvailable = false;
    expect(receiver.receivePacket(createDevice('acc_1', 'dev_1'), PACKET)).toBe('allowed');
  });
});
