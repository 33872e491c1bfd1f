import type { DeviceConnection } from './device-connection';
import { toResult, type RelayCall, type RelayResult } from './relay-bus';

/** Calls of this instance through sockets of its own. */
export class LocalCalls {
  private readonly carriers = new Map<string, DeviceConnection>();

  async run(call: RelayCall, connection: DeviceConnection): Promise<RelayResult> {
    const { requestId } = call.request;
    this.carriers.set(requestId, connection);
    const sentAt = performance.now();
    try {
      const delivery = await connection.deliver(call.request, call.answerWithinMs, call.onLateAnswer);
      return toResult(delivery, connection.device.deviceId, 0, Math.round(performance.now() - sentAt));
    } finally {
      this.carriers.delete(requestId);
    }
  }

  /** False where the call is none of these. */
  cancel(requestId: string, reason: string): boolean {
    const connection = this.carriers.get(requestId);
    connection?.cancel(requestId, reason);
    return connection !== undefined;
  }
}
