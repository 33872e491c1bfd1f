import { Test } from '@nestjs/testing';
import type { Server, Socket } from 'socket.io';
import { ShutdownState } from '../../common/shutdown-state';
import { DeviceCallLimiter, RelayBus } from '../relay-bus';
import { DeviceGateway } from './device.gateway';
import { HandshakeError, HandshakeService } from './handshake.service';
import { PresenceRecorder } from './presence/presence-recorder';
import { SocketGuard } from './sockets/socket-guard';

const DEVICE = { deviceId: 'dev_1' };

describe('DeviceGateway', () => {
  const handshakeService = { acceptDevice: jest.fn() };
  const bus = { attachConnection: jest.fn(), detachConnection: jest.fn(), getServerTime: () => 1_000 };
  const presenceRecorder = { recordConnected: jest.fn(), recordDisconnected: jest.fn() };
  const socketGuard = { guardServer: jest.fn(), acceptJoin: jest.fn(), refuseJoin: jest.fn() };
  let gateway: DeviceGateway;
  let shutdownState: ShutdownState;
  let socket: { connected: boolean; data: Record<string, unknown>; emit: jest.Mock };

  beforeEach(async () => {
    jest.resetAllMocks();
    const module = await Test.createTestingModule({
      providers: [
        DeviceGateway,
        ShutdownState,
        { provide: DeviceCallLimiter, useValue: {} },
        { provide: HandshakeService, useValue: handshakeService },
        { provide: PresenceRecorder, useValue: presenceRecorder },
        { provide: RelayBus, useValue: bus },
        { provide: SocketGuard, useValue: socketGuard },
      ],
    }).compile();
    module.useLogger(false);
    gateway = module.get(DeviceGateway);
    shutdownState = module.get(ShutdownState);
    socket = { connected: true, data: {}, emit: jest.fn() };
    handshakeService.acceptDevice.mockResolvedValue({ device: DEVICE, machineId: 'mch_1', capabilities: [], epoch: 1 });
    bus.detachConnection.mockResolvedValue(undefined);
  });

  /** Returns the error of the handshake, if it was refused. */
  const join = () =>
    new Promise<Error | undefined>((resolve) => {
      const server = {
        use: (middleware: (socket: unknown, next: (error?: Error) => void) => void) => middleware(socket, resolve),
      };
      gateway.afterInit(server as unknown as Server);
    });
  const connect = () => gateway.handleConnection(socket as unknown as Socket);

  it('says hello only after every instance can find the device', async () => {
    await join();
    bus.attachConnection.mockImplementation(() => {
      expect(socket.emit).not.toHaveBeenCalled();
      return Promise.resolve();
    });
    await connect();
    expect(socketGuard.acceptJoin).toHaveBeenCalledWith(socket, expect.objectContaining({ device: DEVICE }));
    expect(presenceRecorder.recordConnected).toHaveBeenCalledTimes(1);
    expect(socket.emit).toHaveBeenCalledWith('hello', {
      serverTime: 1_000,
      deviceId: 'dev_1',
      machineId: 'mch_1',
      capabilities: [],
    });
  });

  it('records no presence of a device that left while it was attached', async () => {
    await join();
    bus.attachConnection.mockImplementation(() => {
      socket.connected = false;
      return Promise.resolve();
    });
    await connect();
    expect(presenceRecorder.recordConnected).not.toHaveBeenCalled();
    expect(socket.emit).not.toHaveBeenCalled();
  });

  it('records a disconnection as soon as it happens', async () => {
    await join();
    await connect();
    gateway.handleDisconnect(socket as unknown as Socket);
    expect(presenceRecorder.recordDisconnected).toHaveBeenCalledTimes(1);
  });

  it('refuses devices during a graceful shutdown', async () => {
    shutdownState.startDraining();
    const error = await join();
    expect(error).toBeInstanceOf(HandshakeError);
    expect((error as HandshakeError).data.code).toBe('service_unavailable');
    expect(handshakeService.acceptDevice).not.toHaveBeenCalled();
    expect(socketGuard.refuseJoin).toHaveBeenCalledWith(socket);
  });

  it('does not reveal an unexpected error', async () => {
    handshakeService.acceptDevice.mockRejectedValue(new Error('connection to 10.0.0.1 refused'));
    expect(await join()).toMatchObject({ message: 'internal_error', data: { code: 'internal_error' } });
  });
});
