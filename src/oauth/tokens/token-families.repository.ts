import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../persistence';
import { TokenFamilyEntity } from './token-family.entity';

/** Ends the families that a condition on `f` and `z` names; answers whose they were. */
const REVOKE = `UPDATE oauth_token_families f SET revoked_at = coalesce(f.revoked_at, $3)
  FROM app_authorizations z WHERE z.id = f.authorization_id AND z.app_id = $1`;

@Injectable()
export class TokenFamiliesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(family: TokenFamilyEntity): Promise<void> {
    await this.unitOfWork.manager.insert(TokenFamilyEntity, family);
  }

  /** Of the client alone; null when there is none. */
  revokeByCode(clientId: string, codeHash: Buffer, now: Date): Promise<string | null> {
    return this.revoke('f.code_hash = $2', clientId, codeHash, now);
  }

  /** By any refresh token of the family, rotated or not. */
  revokeByRefreshToken(clientId: string, hash: Buffer, now: Date): Promise<string | null> {
    const condition = 'f.id = (SELECT r.family_id FROM oauth_refresh_tokens r WHERE r.hash = $2)';
    return this.revoke(condition, clientId, hash, now);
  }

  private async revoke(condition: string, clientId: string, hash: Buffer, now: Date): Promise<string | null> {
    const [row] = await this.unitOfWork.query<{ account_id: string }>(
      `${REVOKE} AND ${condition} RETURNING z.account_id`,
      [clientId, hash, now],
    );
    return row?.account_id ?? null;
  }
}
