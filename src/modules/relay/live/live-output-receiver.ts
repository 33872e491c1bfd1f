import { Injectable } from '@nestjs/common';
import type { DevicePrincipal } from '../../../access/auth';
import type { Capability } from '../../../protocol';
import { LIVE_CAPABILITIES } from '../bus/live-output';
import { RelayBus } from '../bus/relay-bus';
import { LiveOutputMetrics } from './live-output-metrics';
import { parseLivePacket } from './parse-live-packet';
import { WatchLeaseRegistry } from './watch-lease-registry';

/** What a device may send, by its token and its handshake. */
export interface LiveOutputSender {
  device: Pick<DevicePrincipal, 'accountId' | 'deviceId'>;
  capabilities: readonly Capability[];
}

/**
 * `allowed`: the bytes of the packet don't count. `counted`: they consume the byte budget of the device, because nobody
 * has asked for them. `invalid`: the device may not send such a packet.
 */
export type LivePacketVerdict = 'allowed' | 'counted' | 'invalid';

/** Passes live output of devices on to the instances that watch it, and drops all other (docs/decisions/0041). */
@Injectable()
export class LiveOutputReceiver {
  constructor(
    private readonly bus: RelayBus,
    private readonly watchLeaseRegistry: WatchLeaseRegistry,
    private readonly metrics: LiveOutputMetrics,
  ) {}

  /** Handles an event of socket.io that a device has sent. */
  receivePacket({ device, capabilities }: LiveOutputSender, packet: string): LivePacketVerdict {
    const parsed = parseLivePacket(packet);
    if (!parsed || !capabilities.includes(LIVE_CAPABILITIES[parsed.topic.type])) return 'invalid';
    const { topic, message, contentBytes } = parsed;
    const { type } = topic;
    this.metrics.receivedMessages.inc({ type });
    const now = this.bus.getServerTime();
    const watched = this.watchLeaseRegistry.findTopic(device.deviceId, topic, now);
    const admission = watched?.admitMessage(contentBytes, packet.length, performance.now());
    if (!watched || admission !== 'forwarded') {
      this.metrics.droppedMessages.inc({ type, reason: watched ? 'rate' : 'unwatched' });
      return admission === 'dropped' ? 'allowed' : 'counted';
    }
    const { accountId, deviceId } = device;
    const liveMessage = { accountId, deviceId, topic, data: JSON.stringify(message) };
    for (const watcherId of watched.listWatchers(now)) {
      const isSent = this.bus.sendLiveMessage(watcherId, liveMessage);
      if (!isSent) this.metrics.droppedMessages.inc({ type, reason: 'bus' });
    }
    return 'allowed';
  }
}
