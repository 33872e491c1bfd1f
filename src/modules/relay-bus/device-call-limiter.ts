import { Injectable } from '@nestjs/common';
import type { RelayMethod } from '@external-api/protocol';
import { SlotLimiter } from '../../common/slot-limiter';

const MAX_CALLS_PER_DEVICE = 16;
const MAX_STOPS_PER_DEVICE = 4;
/** Calls that a device may have in flight, of all methods. */
export const MAX_IN_FLIGHT_CALLS = MAX_CALLS_PER_DEVICE + MAX_STOPS_PER_DEVICE;

/** Methods that stop or decide what other calls began, so they must not wait for those. */
const STOP_METHODS: readonly RelayMethod[] = ['session.cancel', 'session.permission', 'invocation.cancel'];

/**
 * Limits the calls in flight per device, over all its connections to this instance (docs/protocol/relay.md#limits).
 * Stops have slots of their own.
 */
@Injectable()
export class DeviceCallLimiter {
  private readonly calls = new SlotLimiter(MAX_CALLS_PER_DEVICE);
  private readonly stops = new SlotLimiter(MAX_STOPS_PER_DEVICE);

  /** Returns false if the device has no free slot for this method. */
  acquireSlot(deviceId: string, method: RelayMethod): boolean {
    return this.selectSlots(method).acquireSlot(deviceId) === null;
  }

  releaseSlot(deviceId: string, method: RelayMethod): void {
    this.selectSlots(method).releaseSlot(deviceId);
  }

  /** Calls in flight over all devices. */
  get totalCalls(): number {
    return this.calls.size + this.stops.size;
  }

  private selectSlots(method: RelayMethod): SlotLimiter {
    return STOP_METHODS.includes(method) ? this.stops : this.calls;
  }
}
