import { Injectable } from '@nestjs/common';
import type { RelayMethod } from '@external-api/protocol';

const MAX_CALLS_PER_DEVICE = 16;
const MAX_STOPS_PER_DEVICE = 4;
/** Calls that a device may have in flight, of all methods. */
export const MAX_IN_FLIGHT_CALLS = MAX_CALLS_PER_DEVICE + MAX_STOPS_PER_DEVICE;

/** Methods that stop or decide what other calls began, so they must not wait for those. */
const STOP_METHODS: readonly RelayMethod[] = ['session.cancel', 'session.permission', 'invocation.cancel'];

interface DeviceCalls {
  callCount: number;
  stopCount: number;
}

/**
 * Limits the calls in flight per device, over all its connections to this instance (docs/protocol/relay.md#limits).
 * Stops have slots of their own.
 */
@Injectable()
export class DeviceCallLimiter {
  private readonly callsByDevice = new Map<string, DeviceCalls>();
  private inFlightCount = 0;

  /** Returns false if the device has no free slot for this method. */
  acquireSlot(deviceId: string, method: RelayMethod): boolean {
    const calls = this.callsByDevice.get(deviceId) ?? { callCount: 0, stopCount: 0 };
    if (isStop(method)) {
      if (calls.stopCount >= MAX_STOPS_PER_DEVICE) return false;
      calls.stopCount += 1;
    } else {
      if (calls.callCount >= MAX_CALLS_PER_DEVICE) return false;
      calls.callCount += 1;
    }
    this.callsByDevice.set(deviceId, calls);
    this.inFlightCount += 1;
    return true;
  }

  releaseSlot(deviceId: string, method: RelayMethod): void {
    const calls = this.callsByDevice.get(deviceId)!;
    if (isStop(method)) calls.stopCount -= 1;
    else calls.callCount -= 1;
    if (calls.callCount + calls.stopCount === 0) this.callsByDevice.delete(deviceId);
    this.inFlightCount -= 1;
  }

  /** Calls in flight over all devices. */
  get totalCalls(): number {
    return this.inFlightCount;
  }
}

function isStop(method: RelayMethod): boolean {
  return STOP_METHODS.includes(method);
}
