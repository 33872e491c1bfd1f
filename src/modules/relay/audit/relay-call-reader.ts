import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../../common/ids';
import { UnitOfWork } from '../../../core/database';
import type { RelayCallEntity } from './relay-call.entity';

/** A relayed call with the name of its account. */
export type RelayCallWithUsername = RelayCallEntity & { username: string };

/**
 * Finds relayed calls of any account by request id, for operators. Rows contain ids, times and outcome, but no content.
 */
@Injectable()
export class RelayCallReader {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async findByRequestId(requestId: string): Promise<RelayCallWithUsername | null> {
    if (!isWellFormedId('req', requestId)) return null;
    const [row] = await this.unitOfWork.queryRows<RelayCallWithUsername>(
      `SELECT c.request_id AS "requestId", c.account_id AS "accountId", a.username, c.method,
              c.device_id AS "deviceId", c.session_id AS "sessionId", c.machine_id AS "machineId",
              c.token_id AS "tokenId", c.app_id AS "appId", c.caller_device_id AS "callerDeviceId",
              c.request_bytes AS "requestBytes", c.result_bytes AS "resultBytes", c.status, c.code, c.outcome,
              c.route_ms AS "routeMs", c.device_ms AS "deviceMs", c.total_ms AS "totalMs", c.timed_out AS "timedOut",
              c.created_at AS "createdAt"
         FROM relay_calls c JOIN accounts a ON a.id = c.account_id
        WHERE a.deleted_at IS NULL AND c.request_id = $1`,
      [requestId],
    );
    return row ?? null;
  }
}
