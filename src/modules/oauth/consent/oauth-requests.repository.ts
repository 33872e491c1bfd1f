import { Injectable } from '@nestjs/common';
import { UnitOfWork, type RowOf } from '../../../core/database';
import { OAuthRequestEntity } from './oauth-request.entity';

export type OAuthRequestRow = RowOf<OAuthRequestEntity>;

/** User who decides a request, with the browser login. */
export interface ConsentingUser {
  accountId: string;
  /** Id of the browser login, never the cookie itself. */
  loginId: string;
}

@Injectable()
export class OAuthRequestsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(request: OAuthRequestEntity): Promise<void> {
    await this.unitOfWork.manager.insert(OAuthRequestEntity, request);
  }

  async findAppId(hash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.unitOfWork.queryRows<{ app_id: string }>(
      'SELECT app_id FROM oauth_requests WHERE hash = $1 AND expires_at > $2',
      [hash, now],
    );
    return row?.app_id ?? null;
  }

  /** Binds the request to the login unless it is bound to another one, and locks it until the transaction ends. */
  async bindToLogin(hash: Buffer, loginId: string, now: Date): Promise<OAuthRequestRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<OAuthRequestRow>(
      `UPDATE oauth_requests SET session = $2
        WHERE hash = $1 AND expires_at > $3 AND (session IS NULL OR session = $2) RETURNING *`,
      [hash, loginId, now],
    );
    return row;
  }

  /** Sets the only ticket that may decide the request. The first ticket also starts the expiry time. */
  async setTicket(hash: Buffer, ticketHash: Buffer, accountId: string, expiresAt: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE oauth_requests SET ticket_hash = $2, ticket_account_id = $3,
              expires_at = CASE WHEN ticket_hash IS NULL THEN $4 ELSE expires_at END WHERE hash = $1`,
      [hash, ticketHash, accountId, expiresAt],
    );
  }

  /** Deletes and returns the request that this ticket decides. Only one concurrent caller gets it. */
  async consumeByTicket(
    ticketHash: Buffer,
    { accountId, loginId }: ConsentingUser,
    now: Date,
  ): Promise<OAuthRequestRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<OAuthRequestRow>(
      `DELETE FROM oauth_requests
        WHERE ticket_hash = $1 AND ticket_account_id = $2 AND session = $3 AND expires_at > $4 RETURNING *`,
      [ticketHash, accountId, loginId, now],
    );
    return row;
  }

  async delete(hash: Buffer): Promise<void> {
    await this.unitOfWork.manager.delete(OAuthRequestEntity, { hash });
  }
}
