import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { WATCH_LEASE_MS } from '@external-api/protocol';
import { PeriodicTask } from '../../../common/periodic-task';
import { ChangeSignals } from '../../../core/redis';
import { getTopicKey, type LiveMessage, type LiveTopic, RelayBus } from '../../relay-bus';
import { CallRouteResolver } from '../calls/call-route-resolver';
import { readDeviceSignal } from '../../device-gateway';

/** A third of a lease: one lost renewal interrupts nothing. */
const RENEWAL_INTERVAL_MS = WATCH_LEASE_MS / 3;

/** @param data `DeltaMessage` or `OutputMessage` as JSON without line breaks */
export type LiveOutputListener = (data: string) => void;

/** Topic that streams of this instance watch. */
interface Watch {
  accountId: string;
  deviceIds: readonly string[];
  topic: LiveTopic;
  listeners: Set<LiveOutputListener>;
}

/**
 * Watches sessions and invocations for streams of this instance: renews a lease at their devices while somebody
 * listens, and gives the output to the listeners. A device that is offline gets no lease until it has connected.
 */
@Injectable()
export class LiveOutputService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('LiveOutput');
  private readonly watchesByTopic = new Map<string, Watch>();
  private readonly watchesByDevice = new Map<string, Set<Watch>>();
  private readonly renewalTask = new PeriodicTask('watch lease renewal', RENEWAL_INTERVAL_MS, () => this.renewLeases());

  constructor(
    private readonly bus: RelayBus,
    private readonly callRouteResolver: CallRouteResolver,
    private readonly changeSignals: ChangeSignals,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.receivedLiveMessages.subscribe((message) => this.deliverMessage(message));
    this.changeSignals.changedKeys.subscribe((key) => {
      const deviceId = readDeviceSignal(key);
      if (deviceId === null) return;
      for (const watch of this.watchesByDevice.get(deviceId) ?? []) void this.sendLease(watch, deviceId);
    });
    this.renewalTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.renewalTask.stop();
  }

  /**
   * Watches the deltas of a session, at the devices that may run its agent.
   * @param type `delta` for messages, `progress` for the other kinds
   * @returns a function that stops the watch
   * @throws ApiError 404
   */
  async watchSession(
    accountId: string,
    { sessionId, type }: { sessionId: string; type: 'delta' | 'progress' },
    listener: LiveOutputListener,
  ): Promise<() => void> {
    const deviceIds = await this.callRouteResolver.findHostIds(accountId, sessionId);
    return this.addListener(accountId, deviceIds, { type, id: sessionId }, listener);
  }

  /**
   * Watches the output of an invocation.
   * @returns a function that stops the watch
   */
  watchInvocation(
    accountId: string,
    { invocationId, deviceId }: { invocationId: string; deviceId: string },
    listener: LiveOutputListener,
  ): () => void {
    return this.addListener(accountId, [deviceId], { type: 'output', id: invocationId }, listener);
  }

  private addListener(
    accountId: string,
    deviceIds: readonly string[],
    topic: LiveTopic,
    listener: LiveOutputListener,
  ): () => void {
    const key = getTopicKey(topic);
    const watch = this.watchesByTopic.get(key) ?? { accountId, deviceIds, topic, listeners: new Set() };
    watch.listeners.add(listener);
    if (!this.watchesByTopic.has(key)) this.addWatch(key, watch);
    return () => {
      if (watch.listeners.delete(listener) && watch.listeners.size === 0) this.removeWatch(key, watch);
    };
  }

  private addWatch(key: string, watch: Watch): void {
    this.watchesByTopic.set(key, watch);
    for (const deviceId of watch.deviceIds) {
      const watches = this.watchesByDevice.get(deviceId) ?? new Set();
      this.watchesByDevice.set(deviceId, watches.add(watch));
      void this.sendLease(watch, deviceId);
    }
  }

  /** Ends the leases at once, so that the device sends nothing more. */
  private removeWatch(key: string, watch: Watch): void {
    this.watchesByTopic.delete(key);
    for (const deviceId of watch.deviceIds) {
      const watches = this.watchesByDevice.get(deviceId);
      watches?.delete(watch);
      if (watches?.size === 0) this.watchesByDevice.delete(deviceId);
      void this.sendLease(watch, deviceId);
    }
  }

  /** One by one, so that thousands of renewals don't delay calls. */
  private async renewLeases(): Promise<void> {
    for (const watch of [...this.watchesByTopic.values()]) {
      // The end of a watch that nobody needs any more has been sent, and another one may have begun.
      if (watch.listeners.size === 0) continue;
      for (const deviceId of watch.deviceIds) await this.sendLease(watch, deviceId);
    }
  }

  private async sendLease({ accountId, topic, listeners }: Watch, deviceId: string): Promise<void> {
    // The present time would not be over at an instance whose clock is a little behind.
    const until = listeners.size > 0 ? this.bus.getServerTime() + WATCH_LEASE_MS : 0;
    try {
      await this.bus.sendWatchLease({ accountId, deviceId, topic, until });
    } catch (error) {
      this.logger.debug({ deviceId, reason: (error as Error).message }, 'watch lease failed');
    }
  }

  private deliverMessage({ accountId, deviceId, topic, data }: LiveMessage): void {
    const watch = this.watchesByTopic.get(getTopicKey(topic));
    if (watch?.accountId !== accountId || !watch.deviceIds.includes(deviceId)) return;
    for (const listener of watch.listeners) listener(data);
  }
}
