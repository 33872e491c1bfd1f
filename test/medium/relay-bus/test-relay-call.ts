import { generateId } from '../../../src/common/ids';
import type { RelayBus } from '../../../src/modules/relay-bus/relay-bus';
import type { RelayCall } from '../../../src/modules/relay-bus/relay-call';

/** Creates a call of `machine.invoke` to a device of the account. */
export function createTestRelayCall(
  bus: RelayBus,
  accountId: string,
  deviceId: string,
  overrides: Partial<RelayCall> = {},
): RelayCall {
  return {
    accountId,
    candidates: [{ deviceId }],
    capability: 'machine.invoke',
    request: {
      requestId: generateId('req'),
      method: 'machine.invoke',
      deadline: bus.getServerTime() + 10_000,
      timeoutMs: 9_000,
      params: { command: 'true', args: [], cwd: null },
    },
    answerTimeoutMs: 11_000,
    audit: { tokenId: 'tok_1', appId: null, requestBytes: 2, keyed: false, startedAt: Date.now() },
    onLateAnswer: () => undefined,
    ...overrides,
  };
}
