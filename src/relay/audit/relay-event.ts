import type { DomainEvent } from '../../events';
import type { RelayCallEntity } from './relay-call.entity';

/** A relayed call as webhooks tell of it: never arguments or output (webhooks.md, Types). */
export function toRelayEvent(row: RelayCallEntity): DomainEvent {
  const { requestId, method, sessionId, machineId, tokenId, outcome, totalMs, createdAt, traceparent } = row;
  return {
    type: row.status === 200 ? 'relay.completed' : 'relay.failed',
    accountId: row.accountId,
    traceparent: traceparent ?? null,
    data: {
      requestId,
      method,
      sessionId,
      machineId,
      tokenId,
      outcome,
      durationMs: totalMs,
      createdAt: createdAt.getTime(),
    },
  };
}
