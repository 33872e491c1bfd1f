import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth';
import { UnitOfWork } from '../../persistence';
import { OAuthRequestEntity } from './oauth-request.entity';

/** A request as the table names its columns. */
export interface OAuthRequestRow {
  app_id: string;
  redirect_uri: string;
  scopes: Scope[];
  state: Buffer | null;
  code_challenge: string;
}

/** Who decides, and in which browser. */
export interface ConsentingPerson {
  accountId: string;
  /** Identifies the browser's session; never its cookie itself. */
  session: string;
}

@Injectable()
export class OAuthRequestsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(request: OAuthRequestEntity): Promise<void> {
    await this.unitOfWork.manager.insert(OAuthRequestEntity, request);
  }

  async appOf(hash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.unitOfWork.query<{ app_id: string }>(
      'SELECT app_id FROM oauth_requests WHERE hash = $1 AND expires_at > $2',
      [hash, now],
    );
    return row?.app_id ?? null;
  }

  /** Binds it to the session unless it is another's, and holds it until the transaction ends. */
  async bind(hash: Buffer, session: string, now: Date): Promise<OAuthRequestRow | undefined> {
    const [row] = await this.unitOfWork.query<OAuthRequestRow>(
      `UPDATE oauth_requests SET session = $2
        WHERE hash = $1 AND expires_at > $3 AND (session IS NULL OR session = $2) RETURNING *`,
      [hash, session, now],
    );
    return row;
  }

  /** One form at a time: an earlier one decides nothing any more. The time begins with the first. */
  async setTicket(hash: Buffer, ticketHash: Buffer, accountId: string, expiresAt: Date): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE oauth_requests SET ticket_hash = $2, ticket_account_id = $3,
              expires_at = CASE WHEN ticket_hash IS NULL THEN $4 ELSE expires_at END WHERE hash = $1`,
      [hash, ticketHash, accountId, expiresAt],
    );
  }

  /** Takes what this form decides; once, whoever comes at the same time. */
  async takeByTicket(
    ticketHash: Buffer,
    { accountId, session }: ConsentingPerson,
    now: Date,
  ): Promise<OAuthRequestRow | undefined> {
    const [row] = await this.unitOfWork.query<OAuthRequestRow>(
      `DELETE FROM oauth_requests
        WHERE ticket_hash = $1 AND ticket_account_id = $2 AND session = $3 AND expires_at > $4 RETURNING *`,
      [ticketHash, accountId, session, now],
    );
    return row;
  }

  async delete(hash: Buffer): Promise<void> {
    await this.unitOfWork.manager.delete(OAuthRequestEntity, { hash });
  }
}
