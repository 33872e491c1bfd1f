import { Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { EndedPresence } from '../../../devices';
import type { ChangeHint } from '../../../wire';
import type { DeviceConnection } from '../device-connection';
import { LocalCalls } from '../local-calls';
import { LocalPresence } from '../local-presence';
import { PendingCalls } from '../pending-calls';
import { RelayBus, type RelayCall, type RelayResult } from '../relay-bus';
import { Assertions } from './assertions';
import type { BusMetrics } from './bus-metrics';
import { ENVELOPE_VERSION, type Head } from './envelope';
import { IncomingCalls } from './incoming-calls';
import { Lease } from './lease';
import { OutgoingCalls } from './outgoing-calls';
import { RedisClock } from './redis-clock';
import { RedisLink } from './redis-link';
import { SharedPresence } from './shared-presence';

/** A device that moves while it is called is followed; one that moved more often is left alone. */
const MAX_ATTEMPTS = 5;

/** The bus of many instances: each holds some of the devices, and finds the others' through Redis (relay.md). */
export class RedisBus extends RelayBus implements OnModuleInit, OnApplicationShutdown {
  readonly isShared = true;
  private readonly logger = new Logger('RelayBus');
  private readonly clock = new RedisClock();
  private readonly devices = new LocalPresence();
  private readonly local = new LocalCalls();
  private readonly pendingCalls = new PendingCalls();
  /** Calls under way, and whether anybody still wants them: if not, they are not offered again. */
  private readonly wanted = new Map<string, boolean>();
  private readonly link: RedisLink;
  private readonly presence: SharedPresence;
  private readonly assertions: Assertions;
  private readonly lease: Lease;
  private readonly outgoing: OutgoingCalls;
  private readonly incoming: IncomingCalls;

  /** @param instance names this process, anew at each start */
  constructor(url: string, instance: string, metrics: BusMetrics) {
    super();
    this.link = new RedisLink(url, instance);
    this.presence = new SharedPresence(this.link, this.clock, instance);
    this.assertions = new Assertions(this.presence, this.devices);
    this.lease = new Lease(this.link, this.clock, instance, () => this.assertions.renewAll());
    this.outgoing = new OutgoingCalls(this.link, this.presence, metrics);
    this.incoming = new IncomingCalls(this.link, this.clock, this.devices, this.presence, metrics, this.orphaned);
    metrics.observe({ leaseAgeMs: () => this.lease.age, incoming: () => this.incoming.size });
  }

  get pending(): number {
    return this.pendingCalls.size;
  }

  get connectionCount(): number {
    return this.devices.size;
  }

  async onModuleInit(): Promise<void> {
    await this.link.start({
      onMessage: (head, body) => this.receive(head, body),
      // The lease first: routing passes over devices of an instance that has none.
      onUp: () => void this.lease.renew().then(() => this.assertions.renewAll()),
    });
    if (this.link.isUp) await this.lease.renew();
    for (const each of [this.lease, this.outgoing, this.incoming, this.assertions]) each.start();
  }

  async onApplicationShutdown(): Promise<void> {
    for (const each of [this.assertions, this.incoming, this.outgoing]) each.stop();
    await this.lease.end();
    this.link.stop();
  }

  now(): number {
    return this.clock.now();
  }

  async attach(connection: DeviceConnection): Promise<void> {
    this.devices.add(connection)?.retire();
    await this.assertions.add(connection);
  }

  async detach(connection: DeviceConnection): Promise<void> {
    this.devices.remove(connection);
    connection.onDisconnected();
    await this.assertions.remove(connection);
  }

  async hint(accountId: string, change: ChangeHint, exceptDeviceId: string | null): Promise<void> {
    this.devices.hint(accountId, change, exceptDeviceId);
    if (this.link.isUp) await this.presence.hint(accountId, change, exceptDeviceId);
  }

  connections(): Iterable<DeviceConnection> {
    return this.devices.connections();
  }

  cancel(requestId: string, reason: string): void {
    if (this.wanted.has(requestId)) this.wanted.set(requestId, false);
    if (!this.local.cancel(requestId, reason)) this.outgoing.cancel(requestId, reason);
  }

  reassert(): Promise<void> {
    return this.assertions.renewAll();
  }

  async forget(connections: readonly EndedPresence[]): Promise<void> {
    for (const { accountId, deviceId, epoch, instance } of connections) {
      if (instance) await this.presence.forget(accountId, deviceId, epoch, instance);
    }
  }

  drain(): Promise<void> {
    return this.lease.drain();
  }

  async call(call: RelayCall): Promise<RelayResult> {
    if (!this.pendingCalls.begin(call.accountId)) return unavailable();
    try {
      return await this.follow(call);
    } finally {
      this.wanted.delete(call.request.requestId);
      this.pendingCalls.end(call.accountId);
    }
  }

  private async follow(order: RelayCall): Promise<RelayResult> {
    const giveUpAt = performance.now() + order.answerWithinMs;
    const { requestId } = order.request;
    this.wanted.set(requestId, true);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS && this.wanted.get(requestId); attempt++) {
      const call = { ...order, answerWithinMs: giveUpAt - performance.now() };
      const connection = this.nearby(call);
      if (!connection && !(this.link.isUp && this.clock.isSure)) return unavailable();
      const result = connection ? await this.local.run(call, connection) : await this.outgoing.send(call, attempt);
      if (result.kind !== 'gone') return result;
    }
    return { kind: 'not_delivered', reason: 'no_online_device', deviceId: null };
  }

  /** Where this instance holds the device of first choice, Redis has nothing to add. */
  private nearby({ accountId, candidates, capability }: RelayCall): DeviceConnection | undefined {
    const [first] = candidates;
    if (!first) return undefined;
    // Which account device connected last, only Redis knows; without it, the last one here will do.
    if ('newest' in first && this.link.isUp) return undefined;
    const connection = this.devices.choose(accountId, [first], capability);
    return connection?.isCurrent ? connection : undefined;
  }

  private receive(head: Head & { version: number }, body: string): void {
    // A request is refused in its own way, so that its origin need not wait.
    if (head.version !== ENVELOPE_VERSION && head.type !== 'request') return;
    switch (head.type) {
      case 'request':
        return this.incoming.onRequest(head, body);
      case 'answer':
        return this.outgoing.onAnswer(head, body);
      case 'running':
        return this.outgoing.onRunning(head.callIds);
      case 'cancel':
        return this.incoming.cancel(head.callId, head.reason);
      case 'superseded':
        return this.supersede(head);
      case 'hint':
        return this.devices.hint(head.accountId, JSON.parse(body) as ChangeHint, head.exceptDeviceId);
      case 'tick':
        return;
      default:
        this.logger.warn('a message of another version was dropped');
    }
  }

  private supersede({ accountId, deviceId, epoch }: { accountId: string; deviceId: string; epoch: number }) {
    const connection = this.devices.find(accountId, deviceId);
    if (connection && connection.epoch < epoch) connection.retire();
  }
}

function unavailable(): RelayResult {
  return { kind: 'not_delivered', reason: 'relay_unavailable', deviceId: null };
}
