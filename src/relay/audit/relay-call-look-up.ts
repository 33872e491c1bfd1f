import { Injectable } from '@nestjs/common';
import { isId } from '../../common/ids';
import { UnitOfWork } from '../../persistence';
import type { RelayCallEntity } from './relay-call.entity';

/** A relayed call with the name of its account. */
export type FoundRelayCall = RelayCallEntity & { username: string };

/** Any account's relayed call, for operators: by the id that its caller was given. Ids, times and outcome, no content. */
@Injectable()
export class RelayCallLookUp {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async find(requestId: string): Promise<FoundRelayCall | null> {
    if (!isId('req', requestId)) return null;
    const [row] = await this.unitOfWork.query<FoundRelayCall>(
      `SELECT c.request_id AS "requestId", c.account_id AS "accountId", a.username, c.method,
              c.device_id AS "deviceId", c.session_id AS "sessionId", c.machine_id AS "machineId",
              c.token_id AS "tokenId", c.app_id AS "appId", c.request_bytes AS "requestBytes",
              c.result_bytes AS "resultBytes", c.status, c.code, c.outcome, c.route_ms AS "routeMs",
              c.device_ms AS "deviceMs", c.total_ms AS "totalMs", c.created_at AS "createdAt"
         FROM relay_calls c JOIN accounts a ON a.id = c.account_id WHERE c.request_id = $1`,
      [requestId],
    );
    return row ?? null;
  }
}
