import { newId } from '../../../src/common/ids';
import type { RelayBus, RelayCall } from '../../../src/relay/bus/relay-bus';

/** A call of `machine.invoke` to a device of the account. */
export function orderFor(bus: RelayBus, accountId: string, deviceId: string, more: Partial<RelayCall> = {}): RelayCall {
  return {
    accountId,
    candidates: [{ deviceId }],
    capability: 'machine.invoke',
    request: {
      requestId: newId('req'),
      method: 'machine.invoke',
      deadline: bus.now() + 10_000,
      timeoutMs: 9_000,
      params: { command: 'true', args: [], cwd: null },
    },
    answerWithinMs: 11_000,
    audit: { tokenId: 'tok_1', appId: null, requestBytes: 2, keyed: false, startedAt: Date.now() },
    onLateAnswer: () => undefined,
    ...more,
  };
}
