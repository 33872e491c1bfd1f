import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database';
import { TokenFamilyEntity } from './token-family.entity';

/** Revokes the families that match a condition on `f` and `z`. Returns their account ids. */
const REVOKE_FAMILIES_SQL = `UPDATE oauth_token_families f SET revoked_at = coalesce(f.revoked_at, $3)
  FROM app_authorizations z WHERE z.id = f.authorization_id AND z.app_id = $1`;

@Injectable()
export class TokenFamiliesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(family: TokenFamilyEntity): Promise<void> {
    await this.unitOfWork.manager.insert(TokenFamilyEntity, family);
  }

  /** Revokes the family issued from this client's code. Returns its account id, or null when no family matches. */
  revokeByCode(clientId: string, codeHash: Buffer, now: Date): Promise<string | null> {
    return this.revokeWhere('f.code_hash = $2', clientId, codeHash, now);
  }

  /** Revokes the family of any of its refresh tokens, rotated or not. */
  revokeByRefreshToken(clientId: string, hash: Buffer, now: Date): Promise<string | null> {
    const condition = 'f.id = (SELECT r.family_id FROM oauth_refresh_tokens r WHERE r.hash = $2)';
    return this.revokeWhere(condition, clientId, hash, now);
  }

  private async revokeWhere(condition: string, clientId: string, hash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.unitOfWork.queryRows<{ account_id: string }>(
      `${REVOKE_FAMILIES_SQL} AND ${condition} RETURNING z.account_id`,
      [clientId, hash, now],
    );
    return row?.account_id ?? null;
  }
}
