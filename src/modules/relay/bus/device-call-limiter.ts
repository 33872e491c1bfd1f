import { Injectable } from '@nestjs/common';

const MAX_CALLS_PER_DEVICE = 16;

/** Limits the calls in flight per device, over all its connections to this instance (docs/protocol/relay.md#limits). */
@Injectable()
export class DeviceCallLimiter {
  private readonly callsByDevice = new Map<string, number>();
  private inFlightCount = 0;

  acquireSlot(deviceId: string): boolean {
    const count = this.callsByDevice.get(deviceId) ?? 0;
    if (count >= MAX_CALLS_PER_DEVICE) return false;
    this.callsByDevice.set(deviceId, count + 1);
    this.inFlightCount += 1;
    return true;
  }

  releaseSlot(deviceId: string): void {
    const count = (this.callsByDevice.get(deviceId) ?? 0) - 1;
    this.inFlightCount -= 1;
    if (count > 0) this.callsByDevice.set(deviceId, count);
    else this.callsByDevice.delete(deviceId);
  }

  /** Calls in flight over all devices. */
  get totalCalls(): number {
    return this.inFlightCount;
  }
}
