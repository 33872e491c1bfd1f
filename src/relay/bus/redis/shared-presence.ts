import type { ChangeHint } from '../../../wire';
import type { DeviceConnection } from '../device-connection';
import type { RelayCall } from '../relay-bus';
import { encode, ENVELOPE_VERSION, type RequestHead } from './envelope';
import { presenceKey, type PresenceEntry } from './keys';
import type { RedisClock } from './redis-clock';
import type { RedisLink } from './redis-link';
import type { RouteReply } from './scripts';

/** How long an owner may be silent before its origin gives up, and in which it may start a call, in ms. */
export const SILENCE_MS = 2_000;

/** Where each device is connected, as all instances see it (relay.md, Routing between instances). */
export class SharedPresence {
  constructor(
    private readonly link: RedisLink,
    private readonly clock: RedisClock,
    private readonly instance: string,
  ) {}

  /** False where a newer connection of the device stands. */
  async assert(connection: DeviceConnection): Promise<boolean> {
    const { accountId, deviceId, deviceKind } = connection.device;
    const { epoch, machineId, capabilities } = connection;
    const entry: PresenceEntry = {
      instance: this.instance,
      epoch,
      kind: deviceKind,
      machineId,
      capabilities,
    };
    const superseded = encode({ type: 'superseded', accountId, deviceId, epoch });
    const stands = await this.link.guard(() =>
      this.link.commands.relayAssert(
        presenceKey(accountId),
        deviceId,
        epoch,
        JSON.stringify(entry),
        this.instance,
        superseded,
      ),
    );
    return stands === 1;
  }

  /** Removes an entry of this instance, and no other. */
  async withdraw(accountId: string, deviceId: string, epoch: number): Promise<void> {
    await this.link.guard(() =>
      this.link.commands.relayWithdraw(presenceKey(accountId), deviceId, epoch, this.instance),
    );
  }

  /** Removes what an instance without a lease has left. */
  async forget(accountId: string, deviceId: string, epoch: number, instance: string): Promise<void> {
    await this.link.guard(() => this.link.commands.relayForget(presenceKey(accountId), deviceId, epoch, instance));
  }

  /** Picks the device and sends it the call, in one step. */
  route(call: RelayCall, attempt: number): Promise<RouteReply> {
    const { accountId, request, capability, audit } = call;
    const head: RequestHead = {
      type: 'request',
      version: ENVELOPE_VERSION,
      attempt,
      callId: request.requestId,
      origin: this.instance,
      accountId,
      method: capability,
      ...(request.traceparent && { traceparent: request.traceparent }),
      audit,
    };
    return this.link.guard(() =>
      this.link.commands.relayRoute(
        presenceKey(accountId),
        JSON.stringify(call.candidates),
        capability,
        this.clock.now() + SILENCE_MS,
        this.clock.now() + Math.max(0, call.answerWithinMs),
        JSON.stringify(head).slice(1),
        JSON.stringify(request),
      ),
    );
  }

  /** To every other instance that holds a device of the account. */
  async hint(accountId: string, change: ChangeHint, exceptDeviceId: string | null): Promise<void> {
    const message = encode({ type: 'hint', accountId, exceptDeviceId }, JSON.stringify(change));
    await this.link.guard(() => this.link.commands.relayHint(presenceKey(accountId), this.instance, message));
  }
}
