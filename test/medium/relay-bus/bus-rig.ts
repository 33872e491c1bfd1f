import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Server, type Socket } from 'socket.io';
import { Clock } from '../../../src/common/clock';
import { DeviceConnection } from '../../../src/relay/bus/device-connection';
import { DeviceSlots } from '../../../src/relay/bus/device-slots';
import { LocalBus } from '../../../src/relay/bus/local-bus';
import { BusMetrics } from '../../../src/relay/bus/redis/bus-metrics';
import { RedisBus } from '../../../src/relay/bus/redis/redis-bus';
import type { RelayBus } from '../../../src/relay/bus/relay-bus';
import { DEVICE_SOCKET_PATH } from '../../../src/wire';
import { DeviceSocket } from '../../support/device/device-socket';
import { FakeIdentity } from './fake-identity';

// Redis coming and going is what these tests are about.
Logger.overrideLogger(false);

/** One instance without the service around it: a bus, and a real socket.io server whose devices it holds. */
export class BusRig {
  private readonly slots = new DeviceSlots();
  private url = '';

  private constructor(
    readonly bus: RelayBus,
    private readonly io: Server,
  ) {
    io.on('connection', (socket) => void this.attach(socket));
  }

  static local(): Promise<BusRig> {
    return BusRig.start(new LocalBus(new Clock()));
  }

  static async redis(url: string, instance: string): Promise<BusRig> {
    const bus = new RedisBus(url, instance, new BusMetrics(new Registry()));
    await bus.onModuleInit();
    return BusRig.start(bus);
  }

  private static async start(bus: RelayBus): Promise<BusRig> {
    const http = createServer();
    const io = new Server(http, { path: DEVICE_SOCKET_PATH, transports: ['websocket'] });
    const rig = new BusRig(bus, io);
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    rig.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    return rig;
  }

  /** @param identity stands in the place of the device token, which a bus does not see */
  connect(identity: FakeIdentity, capabilities = ['session.message', 'machine.invoke']): Promise<DeviceSocket> {
    return DeviceSocket.connect(this.url, { ...identity, epoch: FakeIdentity.nextEpoch() }, capabilities);
  }

  async stop(): Promise<void> {
    await this.io.close();
    if (this.bus instanceof RedisBus) await this.bus.onApplicationShutdown();
  }

  private async attach(socket: Socket): Promise<void> {
    const { token, capabilities } = socket.handshake.auth;
    const { epoch, ...device } = token as FakeIdentity & { epoch: number };
    const account = { username: 'ada', createdAt: 0, suspended: false, limits: {} };
    const identified = { tokenHash: Buffer.alloc(32), tokenExpiresAt: Infinity };
    const principal = { kind: 'device' as const, account, ...identified, ...device };
    const connection = new DeviceConnection(principal, null, capabilities, epoch, socket, this.slots);
    socket.on('disconnect', () => void this.bus.detach(connection));
    await this.bus.attach(connection);
    socket.emit('hello', {});
  }
}
