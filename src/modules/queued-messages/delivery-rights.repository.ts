import { Injectable } from '@nestjs/common';
import type { Scope } from '../../access/auth';
import { UnitOfWork } from '../../core/database';
import type { DueMessageRow } from './queue-dispatch.repository';

/** Scope that whoever queued a message must still have when it is sent. */
const REQUIRED_SCOPE: Scope = 'sessions:write';

type QueuedBy = Pick<DueMessageRow, 'account_id' | 'token_id' | 'app_id' | 'caller_device_id' | 'session_machine_id'>;

/** What the sender of a message may do with it now. */
export interface SendingRights {
  /** Machines that the sender is limited to; null for all. */
  machineIds: readonly string[] | null;
}

const UNLIMITED: SendingRights = { machineIds: null };

/** Reads whether callers may still send what they have queued, in the transaction that decides to send it. */
@Injectable()
export class DeliveryRightsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async isAccountSuspended(accountId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows('SELECT 1 FROM accounts WHERE id = $1 AND suspended_at IS NOT NULL', [
      accountId,
    ]);
    return rows.length === 1;
  }

  /**
   * Locks the token or authorization, so that a revocation takes effect either before the decision or after it. Returns
   * null if the sender may not send the message any more.
   */
  async lockSendingRights(message: QueuedBy, now: Date): Promise<SendingRights | null> {
    const { account_id: accountId, app_id: appId, token_id: tokenId } = message;
    if (appId === null && tokenId !== null) return this.lockToken(accountId, tokenId, message.session_machine_id, now);
    const isAllowed =
      appId !== null
        ? await this.lockAuthorization(accountId, appId)
        : await this.isActiveDevice(accountId, message.caller_device_id);
    return isAllowed ? UNLIMITED : null;
  }

  /** An app is identified by its client id, as for its webhooks: its access tokens are short-lived. */
  private async lockAuthorization(accountId: string, appId: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM app_authorizations z JOIN developer_apps a ON a.id = z.app_id
         JOIN accounts w ON w.id = a.account_id
        WHERE z.account_id = $1 AND z.app_id = $2 AND a.state = 'active' AND a.suspended_at IS NULL
          AND w.suspended_at IS NULL
          AND $3 = ANY(z.scopes) FOR SHARE OF z`,
      [accountId, appId, REQUIRED_SCOPE],
    );
    return rows.length === 1;
  }

  private async lockToken(
    accountId: string,
    tokenId: string,
    machineId: string | null,
    now: Date,
  ): Promise<SendingRights | null> {
    const [row] = await this.unitOfWork.queryRows<SendingRights>(
      `SELECT machine_ids AS "machineIds" FROM external_tokens WHERE account_id = $1 AND id = $2
          AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $3) AND $4 = ANY(scopes)
          AND (machine_ids IS NULL OR $5 = ANY(machine_ids)) FOR SHARE`,
      [accountId, tokenId, now, REQUIRED_SCOPE, machineId],
    );
    return row ?? null;
  }

  private async isActiveDevice(accountId: string, deviceId: string | null): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM devices WHERE account_id = $1 AND id = $2 AND kind = 'account' AND revoked_at IS NULL`,
      [accountId, deviceId],
    );
    return rows.length === 1;
  }
}
