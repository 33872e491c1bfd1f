import { Injectable } from '@nestjs/common';

const MAX_PER_DEVICE = 16;

/** Calls in flight per device, over all its connections here (relay.md, Caps). */
@Injectable()
export class DeviceSlots {
  private readonly taken = new Map<string, number>();
  private count = 0;

  take(deviceId: string): boolean {
    const count = this.taken.get(deviceId) ?? 0;
    if (count >= MAX_PER_DEVICE) return false;
    this.taken.set(deviceId, count + 1);
    this.count += 1;
    return true;
  }

  free(deviceId: string): void {
    const count = (this.taken.get(deviceId) ?? 0) - 1;
    this.count -= 1;
    if (count > 0) this.taken.set(deviceId, count);
    else this.taken.delete(deviceId);
  }

  /** Over all devices. */
  get total(): number {
    return this.count;
  }
}
