import { Injectable } from '@nestjs/common';
import { UnitOfWork, type RowOf } from '../../../core/database';
import type { AuthorizationCodeEntity } from './authorization-code.entity';

export type AuthorizationCodeRow = RowOf<AuthorizationCodeEntity>;

@Injectable()
export class AuthorizationCodesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Returns false when the authorization was revoked. */
  async insert(code: AuthorizationCodeEntity): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows(
      `INSERT INTO oauth_codes (hash, authorization_id, redirect_uri, scopes, code_challenge, expires_at)
       SELECT $1::bytea, z.id, $3::text, $4::text[], $5::text, $6::timestamptz
         FROM (SELECT id FROM app_authorizations WHERE id = $2 FOR KEY SHARE) z RETURNING 1`,
      [code.hash, code.authorizationId, code.redirectUri, code.scopes, code.codeChallenge, code.expiresAt],
    );
    return rows.length === 1;
  }

  /**
   * Returns the client's code and locks its authorization until the transaction ends. Locks the authorization before
   * the code, in the same order as revocation, to avoid deadlocks.
   */
  async findAndLockAuthorization(clientId: string, hash: Buffer): Promise<AuthorizationCodeRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<AuthorizationCodeRow>(
      `SELECT c.* FROM oauth_codes c JOIN app_authorizations z ON z.id = c.authorization_id
        WHERE c.hash = $1 AND z.app_id = $2 FOR KEY SHARE OF z`,
      [hash, clientId],
    );
    return row;
  }

  /** Deletes the code. Returns true for only one of several concurrent callers. */
  async consumeCode(hash: Buffer): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows('DELETE FROM oauth_codes WHERE hash = $1 RETURNING 1', [hash]);
    return rows.length === 1;
  }
}
