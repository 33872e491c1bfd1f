import { Injectable } from '@nestjs/common';
import type { Scope } from '../../access/auth';
import { UnitOfWork } from '../../core/database';
import type { QueuedMessageMetadataRow } from './queued-message.response.dto';

/** Scope that whoever queued a message must still have when it is sent. */
const REQUIRED_SCOPE: Scope = 'sessions:write';

type QueuedBy = Pick<QueuedMessageMetadataRow, 'account_id' | 'token_id' | 'app_id' | 'caller_device_id'>;

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

  /** Locks the token or authorization, so that a revocation takes effect either before the decision or after it. */
  async lockSendingRights(message: QueuedBy, now: Date): Promise<boolean> {
    if (message.app_id !== null) return this.lockAuthorization(message.account_id, message.app_id);
    if (message.token_id !== null) return this.lockToken(message.account_id, message.token_id, now);
    return this.isActiveDevice(message.account_id, message.caller_device_id);
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

  private async lockToken(accountId: string, tokenId: string, now: Date): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM external_tokens WHERE account_id = $1 AND id = $2 AND revoked_at IS NULL
          AND (expires_at IS NULL OR expires_at > $3) AND $4 = ANY(scopes) FOR SHARE`,
      [accountId, tokenId, now, REQUIRED_SCOPE],
    );
    return rows.length === 1;
  }

  private async isActiveDevice(accountId: string, deviceId: string | null): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `SELECT 1 FROM devices WHERE account_id = $1 AND id = $2 AND kind = 'account' AND revoked_at IS NULL`,
      [accountId, deviceId],
    );
    return rows.length === 1;
  }
}
