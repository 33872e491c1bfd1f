import { Injectable } from '@nestjs/common';
import { isId } from '../../common/ids';
import type { Page, PageQuery } from '../../common/pages';
import { KeysetPager, UnitOfWork } from '../../persistence';
import type { Capability } from '../../wire';
import type { Outcome } from '../relay.errors';
import { RelayCallEntity } from './relay-call.entity';

/** A call with the names of who called and of what was called, in the tables' own names. */
export interface ActivityRow {
  id: string;
  method: Capability;
  token_name: string | null;
  app_id: string | null;
  app_name: string | null;
  device_name: string | null;
  session_id: string | null;
  machine_id: string | null;
  status: number;
  code: string | null;
  outcome: Outcome | null;
  total_ms: number | null;
  created_at: Date;
}

/** What was deleted since has no name any more. */
const WITH_NAMES = `SELECT c.*, c.request_id AS id, t.name AS token_name, a.name AS app_name, d.name AS device_name
  FROM relay_calls c
  LEFT JOIN external_tokens t ON t.id = c.token_id LEFT JOIN developer_apps a ON a.id = c.app_id
  LEFT JOIN devices d ON d.id = c.device_id`;

@Injectable()
export class RelayCallsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  page(accountId: string, query: PageQuery): Promise<Page<ActivityRow>> {
    return this.pager.page<ActivityRow>(
      {
        name: 'relay-calls',
        owner: accountId,
        select: WITH_NAMES,
        key: {
          columns: [
            ['c.created_at', 'timestamptz'],
            ['c.request_id', 'text'],
          ],
          valuesOf: ({ created_at: createdAt, id }) => [createdAt.getTime(), id],
        },
        where: (_, bind) => [`c.account_id = ${bind(accountId)}`],
      },
      query,
    );
  }

  /** Inserts, or replaces what an earlier stage of the same call wrote. */
  async save(rows: RelayCallEntity[]): Promise<void> {
    await this.unitOfWork.manager.upsert(RelayCallEntity, rows, ['requestId']);
  }

  async find(accountId: string, requestId: string): Promise<RelayCallEntity | null> {
    if (!isId('req', requestId)) return null;
    return this.unitOfWork.manager.findOneBy(RelayCallEntity, { accountId, requestId });
  }

  async remove(requestId: string): Promise<void> {
    await this.unitOfWork.manager.delete(RelayCallEntity, { requestId });
  }
}
