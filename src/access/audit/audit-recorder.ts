import { Injectable } from '@nestjs/common';
import { truncateText } from '@external-api/protocol';
import { Clock } from '../../common/clock';
import { generateId } from '../../common/ids';
import { getRequestContext } from '../../common/request-context';
import { AUDIT_ACTS, type AuditActName, type AuditActorKind } from './audit-acts';
import type { AuditEventEntity } from './audit-event.entity';
import { AuditTrailRepository } from './audit-trail.repository';

const MAX_USER_AGENT_LENGTH = 200;
/** Actors of an account's own requests. */
const CLIENT_KINDS: ReadonlySet<AuditActorKind> = new Set(['device', 'browser']);

export interface AuditActor {
  kind: AuditActorKind;
  /** Null for the service. */
  id: string | null;
  /** Reason that an operator gave. */
  reason?: string | null;
}

export interface AuditAct {
  act: AuditActName;
  /** Null for acts that concern no account, or one that the act deletes. */
  accountId: string | null;
  targetId: string | null;
  /** By default the caller of the current request, or the service without one. */
  actor?: AuditActor;
}

/**
 * Writes the audit trail (docs/decisions/0049). It takes the caller, the client address and the user agent from the
 * request. Call it in the transaction of the act, after a statement that wrote or locked a row of the account: the
 * deletion of the account waits for that row, and then deletes the event as well.
 */
@Injectable()
export class AuditRecorder {
  constructor(
    private readonly auditTrail: AuditTrailRepository,
    private readonly clock: Clock,
  ) {}

  async recordActs(actOrActs: AuditAct | readonly AuditAct[]): Promise<void> {
    const acts = [actOrActs].flat();
    if (acts.length > 0) await this.auditTrail.insertEvents(acts.map((act) => this.toEvent(act)));
  }

  /**
   * Deletes the events of an account, at most `limit`. Returns how many. The last call must be in the transaction that
   * has deleted the account's row.
   */
  deleteAccountEvents(accountId: string, limit?: number): Promise<number> {
    return this.auditTrail.deleteByAccount(accountId, limit);
  }

  private toEvent({ act, accountId, targetId, actor: givenActor }: AuditAct): AuditEventEntity {
    const context = getRequestContext();
    const actor: AuditActor = givenActor ?? context?.actor ?? { kind: 'service', id: null };
    // Another person's request, such as that of an app's developer, must not show their address in this account.
    const client = givenActor === undefined || CLIENT_KINDS.has(actor.kind) ? context : undefined;
    return {
      id: generateId('aud'),
      accountId,
      act,
      actorKind: actor.kind,
      actorId: actor.id,
      targetKind: AUDIT_ACTS[act],
      targetId,
      reason: actor.reason ?? null,
      address: client?.address ?? null,
      userAgent: client?.userAgent === undefined ? null : truncateText(client.userAgent, MAX_USER_AGENT_LENGTH),
      createdAt: this.clock.currentDate(),
    };
  }
}
