import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { ChangeHint } from '../../wire';
import type { DeviceConnection } from './device-connection';
import { LocalPresence } from './local-presence';
import { PendingCalls } from './pending-calls';
import { RelayBus, type RelayCall, type RelayResult } from './relay-bus';

/** The bus of a single process: every device is connected here. */
@Injectable()
export class LocalBus extends RelayBus {
  private readonly presence = new LocalPresence();
  private readonly pendingCalls = new PendingCalls();
  private readonly carriers = new Map<string, DeviceConnection>();
  private epoch = 0;

  constructor(private readonly clock: Clock) {
    super();
  }

  get pending(): number {
    return this.pendingCalls.size;
  }

  nextEpoch(): Promise<number> {
    return Promise.resolve(++this.epoch);
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
    for (const connection of this.presence.ofAccount(accountId)) {
      if (connection.device.deviceId !== exceptDeviceId) connection.hint(change);
    }
    return Promise.resolve();
  }

  connections(): Iterable<DeviceConnection> {
    return this.presence.connections();
  }

  find(accountId: string, deviceId: string): DeviceConnection | undefined {
    return this.presence.find(accountId, deviceId);
  }

  cancel(requestId: string, reason: string): Promise<void> {
    this.carriers.get(requestId)?.cancel(requestId, reason);
    return Promise.resolve();
  }

  async call(call: RelayCall): Promise<RelayResult> {
    const { accountId } = call;
    const connection = this.presence.choose(accountId, call.candidates, call.capability);
    if (!connection) return { kind: 'not_delivered', reason: 'no_online_device', deviceId: null };
    const { deviceId } = connection.device;
    if (!this.pendingCalls.begin(accountId)) {
      return { kind: 'not_delivered', reason: 'relay_unavailable', deviceId };
    }
    this.carriers.set(call.request.requestId, connection);
    try {
      const sentAt = this.clock.now();
      const delivery = await connection.deliver(call.request, call.answerBy - sentAt, call.onLateAnswer);
      const deviceMs = this.clock.now() - sentAt;
      switch (delivery.kind) {
        case 'answered':
          return { kind: 'answered', deviceId, answer: delivery.answer, routeMs: 0, deviceMs };
        case 'refused':
          return { kind: 'not_delivered', reason: delivery.reason, deviceId };
        case 'lost':
          return { kind: 'unknown', reason: delivery.reason, deviceId, routeMs: 0, deviceMs };
      }
    } finally {
      this.carriers.delete(call.request.requestId);
      this.pendingCalls.end(accountId);
    }
  }
}
