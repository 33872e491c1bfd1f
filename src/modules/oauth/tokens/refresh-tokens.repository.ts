import { Injectable } from '@nestjs/common';
import { UnitOfWork, type RowOf } from '../../../core/database';
import { RefreshTokenEntity } from './refresh-token.entity';
import type { TokenFamilyEntity } from './token-family.entity';

/** Refresh token, joined with its family. */
export type RefreshTokenRow = RowOf<RefreshTokenEntity> &
  RowOf<Pick<TokenFamilyEntity, 'scopes' | 'revokedAt'>> & { family_expires_at: Date; account_id: string };

/** Refresh token whose columns of deleted rows are null. */
export type IssuedRefreshTokenRow = Omit<RefreshTokenRow, 'account_id'> & {
  account_id: string | null;
  app_id: string | null;
  app_name: string | null;
  last_used_at: Date | null;
};

const SELECT_REFRESH_TOKEN_SQL = `SELECT r.*, f.scopes, f.expires_at AS family_expires_at, f.revoked_at, z.account_id
  FROM oauth_refresh_tokens r JOIN oauth_token_families f ON f.id = r.family_id
  JOIN app_authorizations z ON z.id = f.authorization_id WHERE r.hash = $1 AND z.app_id = $2`;

@Injectable()
export class RefreshTokensRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(token: RefreshTokenEntity): Promise<void> {
    await this.unitOfWork.manager.insert(RefreshTokenEntity, token);
  }

  /** Returns the client's token if its authorization is active. */
  async find(clientId: string, hash: Buffer): Promise<RefreshTokenRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<RefreshTokenRow>(SELECT_REFRESH_TOKEN_SQL, [hash, clientId]);
    return row;
  }

  /** Like `find`, and locks the token (FOR UPDATE). A concurrent caller then sees it as rotated. */
  async findForUpdate(clientId: string, hash: Buffer): Promise<RefreshTokenRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<RefreshTokenRow>(`${SELECT_REFRESH_TOKEN_SQL} FOR UPDATE OF r`, [
      hash,
      clientId,
    ]);
    return row;
  }

  /** Returns the token of any app, also if the app's authorization was revoked. */
  async findIssued(hash: Buffer): Promise<IssuedRefreshTokenRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<IssuedRefreshTokenRow>(
      `SELECT r.*, f.scopes, f.expires_at AS family_expires_at, f.revoked_at, z.account_id, z.app_id, z.last_used_at,
              a.name AS app_name
         FROM oauth_refresh_tokens r JOIN oauth_token_families f ON f.id = r.family_id
         LEFT JOIN app_authorizations z ON z.id = f.authorization_id
         LEFT JOIN developer_apps a ON a.id = z.app_id WHERE r.hash = $1`,
      [hash],
    );
    return row;
  }

  async markRotated(hash: Buffer, rotatedAt: Date): Promise<void> {
    await this.unitOfWork.manager.update(RefreshTokenEntity, { hash }, { rotatedAt });
  }
}
