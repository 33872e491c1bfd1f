import { Injectable } from '@nestjs/common';
import type { Page } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../core/database';
import type { NamedAuditEventRow } from './audit-event.response.dto';
import type { ListAuditEventsQueryDto } from './audit-events.dto';

/** Subqueries look names up for the rows of a page only. */
const SELECT_EVENTS = `SELECT e.*,
    CASE WHEN e.actor_kind IN ('device', 'browser') THEN (SELECT name FROM devices WHERE id = e.actor_id)
         WHEN e.actor_kind = 'token' THEN (SELECT name FROM external_tokens WHERE id = e.actor_id)
         WHEN e.actor_kind = 'app' THEN (SELECT name FROM developer_apps WHERE id = e.actor_id) END AS actor_name,
    CASE e.target_kind WHEN 'device' THEN (SELECT name FROM devices WHERE id = e.target_id)
         WHEN 'token' THEN (SELECT name FROM external_tokens WHERE id = e.target_id)
         WHEN 'app' THEN (SELECT name FROM developer_apps WHERE id = e.target_id) END AS target_name,
    CASE e.target_kind WHEN 'token' THEN (SELECT machine_ids FROM external_tokens WHERE id = e.target_id) END
      AS target_machine_ids
  FROM audit_events e`;

@Injectable()
export class AuditEventsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  findPage(accountId: string, query: ListAuditEventsQueryDto): Promise<Page<NamedAuditEventRow>> {
    return this.pager.readPage<NamedAuditEventRow>(
      {
        name: 'audit-events',
        ownerId: accountId,
        select: SELECT_EVENTS,
        key: creationOrderKey('e'),
        where: (_, bind) => [`e.account_id = ${bind(accountId)}`],
        filterConditions: {
          since: (value, bind) => `e.created_at >= ${bind(new Date(value))}`,
          until: (value, bind) => `e.created_at < ${bind(new Date(value))}`,
        },
      },
      query,
    );
  }

  scanByAccount(accountId: string): AsyncGenerator<NamedAuditEventRow> {
    return streamRows(this.unitOfWork, `${SELECT_EVENTS} WHERE e.account_id = $1`, 'e', accountId);
  }
}
