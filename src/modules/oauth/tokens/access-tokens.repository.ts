import { Injectable } from '@nestjs/common';
import { selectCallerAccountColumns, type CallerAccountRow } from '../../accounts';
import type { Scope } from '../../../access/auth';
import { UnitOfWork } from '../../../core/database';
import { AccessTokenEntity } from './access-token.entity';

/**
 * Access token with its related rows. Columns of deleted rows are null. `ended` is true when any related row was
 * revoked, disabled or suspended. `revoked` is true when the token or its family was revoked, which is final.
 */
export interface AccessTokenRow extends CallerAccountRow {
  /** Id of the authorization. */
  id: string | null;
  hash: Buffer;
  family_id: string;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date;
  ended: boolean;
  revoked: boolean;
  account_id: string | null;
  app_id: string | null;
  app_name: string | null;
  last_used_at: Date | null;
}

@Injectable()
export class AccessTokensRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(token: AccessTokenEntity): Promise<void> {
    await this.unitOfWork.manager.insert(AccessTokenEntity, token);
  }

  findByHashes(hashes: readonly Buffer[]): Promise<AccessTokenRow[]> {
    return this.unitOfWork.queryRows<AccessTokenRow>(
      `SELECT t.hash, t.family_id, t.scopes, t.created_at, t.expires_at, z.id, z.account_id, z.app_id, z.last_used_at,
              a.name AS app_name, ${selectCallerAccountColumns('o')},
              coalesce(t.revoked_at, f.revoked_at) IS NOT NULL AS revoked,
              coalesce(t.revoked_at, f.revoked_at) IS NOT NULL OR a.state IS DISTINCT FROM 'active'
                OR a.suspended_at IS NOT NULL OR o.deleted_at IS NOT NULL OR w.suspended_at IS NOT NULL AS ended
         FROM oauth_access_tokens t JOIN oauth_token_families f ON f.id = t.family_id
         LEFT JOIN app_authorizations z ON z.id = f.authorization_id
         LEFT JOIN developer_apps a ON a.id = z.app_id
         LEFT JOIN accounts o ON o.id = z.account_id
         LEFT JOIN accounts w ON w.id = a.account_id
        WHERE t.hash = ANY($1)`,
      [hashes],
    );
  }

  /** Revokes a token of this client. Returns its account id, or null when no token matches. */
  async revokeByHash(clientId: string, hash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.unitOfWork.queryRows<{ account_id: string }>(
      `UPDATE oauth_access_tokens t SET revoked_at = coalesce(t.revoked_at, $3)
         FROM oauth_token_families f JOIN app_authorizations z ON z.id = f.authorization_id
        WHERE f.id = t.family_id AND t.hash = $1 AND z.app_id = $2 RETURNING z.account_id`,
      [hash, clientId, now],
    );
    return row?.account_id ?? null;
  }
}
