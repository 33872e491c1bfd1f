import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { ChangeHint } from '../../wire';
import type { DeviceConnection } from './device-connection';
import { LocalCalls } from './local-calls';
import { LocalPresence } from './local-presence';
import { PendingCalls } from './pending-calls';
import { RelayBus, type RelayCall, type RelayResult } from './relay-bus';

/** The bus of a single process: every device is connected here. */
@Injectable()
export class LocalBus extends RelayBus {
  readonly isShared = false;
  private readonly presence = new LocalPresence();
  private readonly calls = new LocalCalls();
  private readonly pendingCalls = new PendingCalls();

  constructor(private readonly clock: Clock) {
    super();
  }

  get pending(): number {
    return this.pendingCalls.size;
  }

  get connectionCount(): number {
    return this.presence.size;
  }

  now(): number {
    return this.clock.now();
  }

  attach(connection: DeviceConnection): Promise<void> {
    this.presence.add(connection)?.retire();
    return Promise.resolve();
  }

  detach(connection: DeviceConnection): Promise<void> {
    this.presence.remove(connection);
    connection.onDisconnected();
    return Promise.resolve();
  }

  hint(accountId: string, change: ChangeHint, exceptDeviceId: string | null): Promise<void> {
    this.presence.hint(accountId, change, exceptDeviceId);
    return Promise.resolve();
  }

  connections(): Iterable<DeviceConnection> {
    return this.presence.connections();
  }

  cancel(requestId: string, reason: string): void {
    this.calls.cancel(requestId, reason);
  }

  reassert(): Promise<void> {
    return Promise.resolve();
  }

  forget(): Promise<void> {
    return Promise.resolve();
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  async call(call: RelayCall): Promise<RelayResult> {
    const { accountId } = call;
    const connection = this.presence.choose(accountId, call.candidates, call.capability);
    if (!connection) return { kind: 'not_delivered', reason: 'no_online_device', deviceId: null };
    if (!this.pendingCalls.begin(accountId)) {
      const { deviceId } = connection.device;
      return { kind: 'not_delivered', reason: 'relay_unavailable', deviceId };
    }
    try {
      return await this.calls.run(call, connection);
    } finally {
      this.pendingCalls.end(accountId);
    }
  }
}
