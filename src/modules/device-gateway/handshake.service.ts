import { Injectable } from '@nestjs/common';
import type { Socket } from 'socket.io';
import { CAPABILITIES, type Capability } from '@external-api/protocol';
import {
  AuthenticationFailureRecorder,
  TokenVerifierRegistry,
  type DeviceKind,
  type DevicePrincipal,
} from '../../access/auth';
import { ApiError, type ErrorCode } from '../../common/errors';
import { ConcurrencyLimiter } from '../../common/concurrency-limiter';
import { Config } from '../../core/config';
import { getConnectionShare } from '../../core/database';
import { MachinesService } from '../machines';
import { ClientAddressResolver } from './sockets/client-address-resolver';
import { PresenceRepository } from './presence/presence.repository';

/** Share of the database connections for handshakes, so that calls get one while thousands of devices reconnect. */
const CONNECTION_SHARE = 0.6;

/** Capabilities that begin programs on a machine. */
const MACHINE_CAPABILITIES: readonly Capability[] = [
  'machine.invoke',
  'session.start',
  'session.grant',
  'session.resume',
  'agent.sessions',
  'invocation',
];

/** Capabilities that each kind of device may declare (docs/protocol/device-api.md#permissions). */
const ALLOWED_CAPABILITIES: Record<DeviceKind, readonly Capability[]> = {
  account: CAPABILITIES.filter((name) => !MACHINE_CAPABILITIES.includes(name)),
  machine: CAPABILITIES,
};

/** Result of an accepted handshake, stored on its socket. */
export interface HandshakeResult {
  device: DevicePrincipal;
  machineId: string | null;
  capabilities: readonly Capability[];
  epoch: number;
}

/** A refused handshake as socket.io clients see it: `error.data.code`. */
export class HandshakeError extends Error {
  readonly data: { code: ErrorCode };

  constructor(code: ErrorCode) {
    super(code);
    this.data = { code };
  }
}

/** Authenticates connecting devices and validates their capabilities (docs/protocol/device-api.md#handshake). */
@Injectable()
export class HandshakeService {
  private readonly concurrencyLimiter: ConcurrencyLimiter;

  constructor(
    private readonly tokenVerifiers: TokenVerifierRegistry,
    private readonly machines: MachinesService,
    private readonly presence: PresenceRepository,
    private readonly authenticationFailureRecorder: AuthenticationFailureRecorder,
    private readonly clientAddressResolver: ClientAddressResolver,
    config: Config,
  ) {
    this.concurrencyLimiter = new ConcurrencyLimiter(getConnectionShare(config, CONNECTION_SHARE));
  }

  /** @throws HandshakeError `invalid_token`, `forbidden`, `invalid_request`, `rate_limited`, `service_unavailable` */
  acceptDevice(socket: Socket): Promise<HandshakeResult> {
    return this.concurrencyLimiter.runLimited(() => this.verifyHandshake(socket));
  }

  private async verifyHandshake(socket: Socket): Promise<HandshakeResult> {
    // The socket closed while it waited, so the lookup is skipped. The client does not see the refusal.
    if (socket.conn.readyState !== 'open') throw new HandshakeError('service_unavailable');
    const { token, capabilities } = socket.handshake.auth as Record<string, unknown>;
    const device = await this.verifyDeviceToken(typeof token === 'string' ? token : '', socket);
    const declaredCapabilities = parseCapabilities(capabilities);
    if (declaredCapabilities.some((capability) => !ALLOWED_CAPABILITIES[device.deviceKind].includes(capability))) {
      throw new HandshakeError('forbidden');
    }
    const machineId =
      device.deviceKind === 'machine' ? await this.machines.findMachineIdByDevice(device.deviceId) : null;
    return {
      device,
      machineId,
      capabilities: declaredCapabilities,
      epoch: await this.presence.allocateEpoch(),
    };
  }

  private async verifyDeviceToken(token: string, socket: Socket): Promise<DevicePrincipal> {
    const verification = await this.tokenVerifiers.verifyToken(token, 'device');
    if (verification.ok && verification.principal.kind === 'device') {
      // The device should retry, as with any call (docs/decisions/0023).
      if (verification.principal.account.isSuspended) throw new HandshakeError('service_unavailable');
      return verification.principal;
    }
    try {
      await this.authenticationFailureRecorder.recordFailure(this.clientAddressResolver.resolveAddress(socket.request));
    } catch (error) {
      throw error instanceof ApiError ? new HandshakeError(error.code) : error;
    }
    throw new HandshakeError('invalid_token');
  }
}

/** Ignores unknown names, so that a newer device can connect to an older instance. */
function parseCapabilities(value: unknown = []): Capability[] {
  const isValid = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  if (!isValid) throw new HandshakeError('invalid_request');
  return CAPABILITIES.filter((capability) => value.includes(capability));
}
