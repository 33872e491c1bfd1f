import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth';
import { UnitOfWork } from '../../persistence';
import { RefreshTokenEntity } from './refresh-token.entity';

/** A refresh token with its family. */
export interface RefreshTokenRow {
  family_id: string;
  created_at: Date;
  expires_at: Date;
  rotated_at: Date | null;
  scopes: Scope[];
  family_expires_at: Date;
  revoked_at: Date | null;
  account_id: string;
}

const SELECT = `SELECT r.*, f.scopes, f.expires_at AS family_expires_at, f.revoked_at, z.account_id
  FROM oauth_refresh_tokens r JOIN oauth_token_families f ON f.id = r.family_id
  JOIN app_authorizations z ON z.id = f.authorization_id WHERE r.hash = $1 AND z.app_id = $2`;

@Injectable()
export class RefreshTokensRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(token: RefreshTokenEntity): Promise<void> {
    await this.unitOfWork.manager.insert(RefreshTokenEntity, token);
  }

  /** The client's, whose authorization stands. */
  async find(clientId: string, hash: Buffer): Promise<RefreshTokenRow | undefined> {
    const [row] = await this.unitOfWork.query<RefreshTokenRow>(SELECT, [hash, clientId]);
    return row;
  }

  /** The same, held until the transaction ends: whoever comes at the same time finds it rotated. */
  async lock(clientId: string, hash: Buffer): Promise<RefreshTokenRow | undefined> {
    const [row] = await this.unitOfWork.query<RefreshTokenRow>(`${SELECT} FOR UPDATE OF r`, [hash, clientId]);
    return row;
  }

  async markRotated(hash: Buffer, rotatedAt: Date): Promise<void> {
    await this.unitOfWork.manager.update(RefreshTokenEntity, { hash }, { rotatedAt });
  }
}
