import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth';
import { UnitOfWork } from '../../persistence';
import type { OAuthCodeEntity } from './oauth-code.entity';

/** A code with whose it is. */
export interface CodeRow {
  authorization_id: string;
  redirect_uri: string;
  scopes: Scope[];
  code_challenge: string;
  expires_at: Date;
}

@Injectable()
export class CodesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** False when the authorization has ended. */
  async insert(code: OAuthCodeEntity): Promise<boolean> {
    const rows = await this.unitOfWork.query(
      `INSERT INTO oauth_codes (hash, authorization_id, redirect_uri, scopes, code_challenge, expires_at)
       SELECT $1::bytea, z.id, $3::text, $4::text[], $5::text, $6::timestamptz
         FROM (SELECT id FROM app_authorizations WHERE id = $2 FOR KEY SHARE) z RETURNING 1`,
      [code.hash, code.authorizationId, code.redirectUri, code.scopes, code.codeChallenge, code.expiresAt],
    );
    return rows.length === 1;
  }

  /**
   * The client's code, its authorization held until the transaction ends: before the code itself, in the order in
   * which an ending authorization takes them.
   */
  async find(clientId: string, hash: Buffer): Promise<CodeRow | undefined> {
    const [row] = await this.unitOfWork.query<CodeRow>(
      `SELECT c.* FROM oauth_codes c JOIN app_authorizations z ON z.id = c.authorization_id
        WHERE c.hash = $1 AND z.app_id = $2 FOR KEY SHARE OF z`,
      [hash, clientId],
    );
    return row;
  }

  /** True for one of those who take it at once. */
  async take(hash: Buffer): Promise<boolean> {
    const rows = await this.unitOfWork.query('DELETE FROM oauth_codes WHERE hash = $1 RETURNING 1', [hash]);
    return rows.length === 1;
  }
}
