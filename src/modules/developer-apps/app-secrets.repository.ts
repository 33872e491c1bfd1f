import { Injectable } from '@nestjs/common';
import { UnitOfWork, type RowOf } from '../../core/database';
import { AppSecretEntity } from './app-secret.entity';

/** Secret with the developer's account and the name of its app. */
type AppSecretWithAppRow = RowOf<Pick<AppSecretEntity, 'id' | 'appId' | 'createdAt' | 'expiresAt' | 'lastUsedAt'>> & {
  account_id: string;
  name: string;
};

@Injectable()
export class AppSecretsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(secret: AppSecretEntity): Promise<void> {
    await this.unitOfWork.manager.insert(AppSecretEntity, secret);
  }

  async findLiveIds(appId: string, now: Date): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT id FROM developer_app_secrets WHERE app_id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
      [appId, now],
    );
    return rows.map(({ id }) => id);
  }

  /** Expires all secrets of the app at `expiresAt`, except those that expire earlier. */
  async expireAllByApp(appId: string, expiresAt: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      'UPDATE developer_app_secrets SET expires_at = least(expires_at, $2) WHERE app_id = $1',
      [appId, expiresAt],
    );
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(AppSecretEntity, { id });
  }

  /** Finds an active secret of an active app, with the time of its last use. */
  async findLive(
    appId: string,
    hash: Buffer,
    now: Date,
  ): Promise<{ id: string; last_used_at: Date | null } | undefined> {
    const [row] = await this.unitOfWork.queryRows<{ id: string; last_used_at: Date | null }>(
      `SELECT s.id, s.last_used_at FROM developer_app_secrets s JOIN developer_apps a ON a.id = s.app_id
         JOIN accounts o ON o.id = a.account_id AND o.suspended_at IS NULL
        WHERE a.id = $1 AND a.state = 'active' AND a.suspended_at IS NULL AND s.hash = $2
          AND (s.expires_at IS NULL OR s.expires_at > $3)`,
      [appId, hash, now],
    );
    return row;
  }

  /** Finds a secret of any app, expired ones as well. */
  async findByHash(hash: Buffer): Promise<AppSecretWithAppRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<AppSecretWithAppRow>(
      `SELECT s.id, s.app_id, s.created_at, s.expires_at, s.last_used_at, a.account_id, a.name
         FROM developer_app_secrets s JOIN developer_apps a ON a.id = s.app_id WHERE s.hash = $1`,
      [hash],
    );
    return row;
  }

  /** Writes at most once a minute across instances. Returns the time, or null if another instance has stored one. */
  async updateLastUsedAt(id: string, now: Date, before: Date): Promise<Date | null> {
    const rows = await this.unitOfWork.queryRows(
      `UPDATE developer_app_secrets SET last_used_at = $2
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3) RETURNING 1`,
      [id, now, before],
    );
    return rows.length === 1 ? now : null;
  }
}
