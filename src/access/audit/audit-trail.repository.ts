import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database';
import type { AuditEventEntity } from './audit-event.entity';

/** Passes all rows as one parameter: an act may concern any number of accounts. */
const INSERT_EVENTS = `INSERT INTO audit_events (id, account_id, act, actor_kind, actor_id, target_kind, target_id,
    reason, address, user_agent, created_at)
  SELECT e.id, e."accountId", e.act, e."actorKind", e."actorId", e."targetKind", e."targetId", e.reason, e.address,
    e."userAgent", e."createdAt"
  FROM json_to_recordset($1) AS e (id text, "accountId" text, act text, "actorKind" text, "actorId" text,
    "targetKind" text, "targetId" text, reason text, address text, "userAgent" text, "createdAt" timestamptz)`;

@Injectable()
export class AuditTrailRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insertEvents(events: AuditEventEntity[]): Promise<void> {
    await this.unitOfWork.queryRows(INSERT_EVENTS, [JSON.stringify(events)]);
  }

  /** Deletes events of an account. Returns how many. */
  async deleteByAccount(accountId: string, limit: number | null = null): Promise<number> {
    const rows = await this.unitOfWork.queryRows(
      `DELETE FROM audit_events
        WHERE id = ANY(ARRAY(SELECT id FROM audit_events WHERE account_id = $1 LIMIT $2)) RETURNING 1`,
      [accountId, limit],
    );
    return rows.length;
  }
}
