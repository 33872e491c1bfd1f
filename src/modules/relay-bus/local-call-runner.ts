import type { DeviceConnection } from './device-connection';
import type { RelayCall, CallOutcome } from './relay-call';

/** Runs calls of this instance on devices that are connected to it. */
export class LocalCallRunner {
  private readonly connectionsByRequestId = new Map<string, DeviceConnection>();

  /** Returns null, without having sent anything, if the connection is no longer the current one of its device. */
  async runCall(call: RelayCall, connection: DeviceConnection): Promise<CallOutcome | null> {
    const { requestId } = call.request;
    this.connectionsByRequestId.set(requestId, connection);
    try {
      return await connection.sendRequest(call.request, call.answerTimeoutMs, call.onLateAnswer);
    } finally {
      this.connectionsByRequestId.delete(requestId);
    }
  }

  /** Returns false if the call does not run here. */
  cancelCall(requestId: string, reason: string): boolean {
    const connection = this.connectionsByRequestId.get(requestId);
    connection?.cancelCall(requestId, reason);
    return connection !== undefined;
  }
}
