import { Injectable } from '@nestjs/common';
import type { Socket } from 'socket.io';
import { FailedAttempts, TokenVerifiers, type DeviceKind, type DevicePrincipal } from '../../auth';
import { ApiError, type ErrorCode } from '../../common/errors';
import { Turnstile, TurnstileFullError } from '../../common/turnstile';
import { MachinesService } from '../../machines';
import { CAPABILITIES, type Capability } from '../../wire';
import { ClientAddress } from './client-address';
import { PresenceEpochs } from './presence-epochs';

/** Of the pool's connections: when devices come back by the thousand, calls still find one. */
const AT_ONCE = 12;
/** More would be given up by their devices before it was their turn. */
const MAX_WAITING = 1_000;

/** What each kind of device may declare (device-api.md, Identity). */
const ALLOWED: Record<DeviceKind, readonly Capability[]> = {
  account: ['session.message'],
  machine: ['session.message', 'machine.invoke'],
};

/** What a good handshake leaves on its socket. */
export interface Handshaken {
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

/** Who connects, and as what (device-api.md, Socket). */
@Injectable()
export class Handshake {
  private readonly turnstile = new Turnstile(AT_ONCE, MAX_WAITING);

  constructor(
    private readonly tokens: TokenVerifiers,
    private readonly machines: MachinesService,
    private readonly epochs: PresenceEpochs,
    private readonly failedAttempts: FailedAttempts,
    private readonly addresses: ClientAddress,
  ) {}

  /** @throws HandshakeError `invalid_token`, `forbidden`, `invalid_request`, `rate_limited`, `service_unavailable` */
  async accept(socket: Socket): Promise<Handshaken> {
    try {
      return await this.turnstile.pass(() => this.lookAt(socket));
    } catch (error) {
      throw error instanceof TurnstileFullError ? new HandshakeError('service_unavailable') : error;
    }
  }

  private async lookAt(socket: Socket): Promise<Handshaken> {
    // Gone while it waited: nobody hears the refusal, and nothing is looked up.
    if (socket.conn.readyState !== 'open') throw new HandshakeError('service_unavailable');
    const { token, capabilities } = socket.handshake.auth as Record<string, unknown>;
    const device = await this.identify(typeof token === 'string' ? token : '', socket);
    const declared = readCapabilities(capabilities);
    if (declared.some((capability) => !ALLOWED[device.deviceKind].includes(capability))) {
      throw new HandshakeError('forbidden');
    }
    const machineId = device.deviceKind === 'machine' ? await this.machines.idOfDevice(device.deviceId) : null;
    return { device, machineId, capabilities: declared, epoch: await this.epochs.next() };
  }

  private async identify(token: string, socket: Socket): Promise<DevicePrincipal> {
    const verification = await this.tokens.verify(token, 'device');
    if (verification.ok && verification.principal.kind === 'device') {
      // It is to try again, as with any call (docs/decisions/0023).
      if (verification.principal.account.suspended) throw new HandshakeError('service_unavailable');
      return verification.principal;
    }
    try {
      await this.failedAttempts.record(this.addresses.of(socket));
    } catch (error) {
      throw error instanceof ApiError ? new HandshakeError(error.code) : error;
    }
    throw new HandshakeError('invalid_token');
  }
}

function readCapabilities(given: unknown): Capability[] {
  if (given === undefined) return [];
  const known = Array.isArray(given) && given.every((one) => CAPABILITIES.includes(one as Capability));
  if (!known) throw new HandshakeError('invalid_request');
  return [...new Set(given as Capability[])];
}
