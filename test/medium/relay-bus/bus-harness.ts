import { createSecretKey } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Server, type Socket } from 'socket.io';
import { DEVICE_SOCKET_PATH } from '@external-api/protocol';
import { Clock } from '../../../src/common/clock';
import { DeviceConnection } from '../../../src/modules/relay-bus/device-connection';
import { DeviceCallLimiter } from '../../../src/modules/relay-bus/device-call-limiter';
import { LocalBus } from '../../../src/modules/relay-bus/local-bus';
import { BusMetrics } from '../../../src/modules/relay-bus/redis/bus-metrics';
import type { BusTrust } from '../../../src/modules/relay-bus/redis/envelope-codec';
import { RedisBus } from '../../../src/modules/relay-bus/redis/redis-bus';
import type { RelayBus } from '../../../src/modules/relay-bus/relay-bus';
import { DeviceSocket } from '../../support/device/device-socket';
import { FakeDeviceIdentity } from './fake-device-identity';

// These tests interrupt Redis on purpose, so the log would be full of errors.
Logger.overrideLogger(false);

/** Creates the trust that two instances of one installation share. */
export const createBusTrust = (...secrets: [string, ...string[]]): BusTrust => ({
  keys: secrets.map((secret) => createSecretKey(Buffer.from(secret))) as unknown as BusTrust['keys'],
  unsigned: 'refuse',
});

const DEFAULT_TRUST = createBusTrust('the key of all harnesses of a test');

/** One instance without the rest of the service: a bus, and a socket.io server that devices connect to. */
export class BusHarness {
  private readonly deviceCallLimiter = new DeviceCallLimiter();
  private url = '';

  private constructor(
    readonly bus: RelayBus,
    private readonly io: Server,
    private readonly registry: Registry,
  ) {
    io.on('connection', (socket) => void this.attachSocket(socket));
  }

  static startLocal(): Promise<BusHarness> {
    return BusHarness.startHarness(new LocalBus(new Clock()), new Registry());
  }

  static async startRedis(url: string, instanceId: string, trust: BusTrust = DEFAULT_TRUST): Promise<BusHarness> {
    const registry = new Registry();
    const bus = new RedisBus(url, instanceId, new BusMetrics(registry), trust);
    await bus.onModuleInit();
    return BusHarness.startHarness(bus, registry);
  }

  private static async startHarness(bus: RelayBus, registry: Registry): Promise<BusHarness> {
    const http = createServer();
    const io = new Server(http, { path: DEVICE_SOCKET_PATH, transports: ['websocket'] });
    const harness = new BusHarness(bus, io, registry);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    harness.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return harness;
  }

  /** @param identity replaces the device token, which a bus does not see */
  connectDevice(
    identity: FakeDeviceIdentity,
    capabilities = ['session.message', 'machine.invoke'],
  ): Promise<DeviceSocket> {
    return DeviceSocket.connect(this.url, { ...identity, epoch: FakeDeviceIdentity.nextEpoch() }, capabilities);
  }

  /** Returns the value of a counter by its labels. */
  async readMetric(name: string, labels: Record<string, string>): Promise<number> {
    const { values } = await this.registry.getSingleMetric(name)!.get();
    const hasLabels = (each: object) => Object.entries(labels).every(([key, value]) => each[key as never] === value);
    return values.find((each) => hasLabels(each.labels))?.value ?? 0;
  }

  async stop(): Promise<void> {
    await this.io.close();
    if (this.bus instanceof RedisBus) await this.bus.onApplicationShutdown();
  }

  private async attachSocket(socket: Socket): Promise<void> {
    const { token, capabilities } = socket.handshake.auth;
    const { epoch, ...device } = token as FakeDeviceIdentity & { epoch: number };
    const account = { username: 'ada', createdAt: 0, isSuspended: false, limits: {} };
    const identified = { tokenHash: Buffer.alloc(32), tokenExpiresAt: Infinity };
    const principal = { kind: 'device' as const, account, ...identified, ...device };
    const getServerTime = () => this.bus.getServerTime();
    const { deviceCallLimiter } = this;
    const connection = new DeviceConnection(
      principal,
      null,
      capabilities,
      epoch,
      socket,
      deviceCallLimiter,
      getServerTime,
    );
    socket.on('disconnect', () => void this.bus.detachConnection(connection));
    await this.bus.attachConnection(connection);
    socket.emit('hello', {});
  }
}
