import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../persistence';
import { AppSecretEntity } from './app-secret.entity';

@Injectable()
export class AppSecretsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async insert(secret: AppSecretEntity): Promise<void> {
    await this.unitOfWork.manager.insert(AppSecretEntity, secret);
  }

  async liveIds(appId: string, now: Date): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      `SELECT id FROM developer_app_secrets WHERE app_id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
      [appId, now],
    );
    return rows.map(({ id }) => id);
  }

  /** None of the app's secrets goes on working beyond `end`; those that would end earlier still do. */
  async expireAll(appId: string, end: Date): Promise<void> {
    await this.unitOfWork.query(
      'UPDATE developer_app_secrets SET expires_at = least(expires_at, $2) WHERE app_id = $1',
      [appId, end],
    );
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(AppSecretEntity, { id });
  }

  /** The live secret of an active app that this is, with when it was last used. */
  async findLive(
    appId: string,
    hash: Buffer,
    now: Date,
  ): Promise<{ id: string; last_used_at: Date | null } | undefined> {
    const [row] = await this.unitOfWork.query<{ id: string; last_used_at: Date | null }>(
      `SELECT s.id, s.last_used_at FROM developer_app_secrets s JOIN developer_apps a ON a.id = s.app_id
         JOIN accounts o ON o.id = a.account_id AND o.suspended_at IS NULL
        WHERE a.id = $1 AND a.state = 'active' AND s.hash = $2 AND (s.expires_at IS NULL OR s.expires_at > $3)`,
      [appId, hash, now],
    );
    return row;
  }

  /** At most one write a minute, however many instances see it. */
  async touch(id: string, now: Date, before: Date): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE developer_app_secrets SET last_used_at = $2
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)`,
      [id, now, before],
    );
  }
}
