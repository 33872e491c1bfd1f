import { Injectable } from '@nestjs/common';
import { AuditRecorder } from '../../access/audit';
import { LastUsedRecorder, type IssuedToken, type TokenIssuer } from '../../access/auth';
import { Clock, SECOND } from '../../common/clock';
import { ApiError, notFoundError } from '../../common/errors';
import { generateId } from '../../common/ids';
import { hashSecretToken, isWellFormedToken, generateSecretToken } from '../../common/secret-token';
import { UnitOfWork } from '../../core/database';
import { AppSecretsRepository } from './app-secrets.repository';
import { DeveloperAppsRepository } from './developer-apps.repository';

/** Maximum number of active secrets of an app. */
export const MAX_LIVE_SECRETS = 3;

/** Client secrets, by which apps authenticate. */
@Injectable()
export class AppSecretsService implements TokenIssuer {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly apps: DeveloperAppsRepository,
    private readonly secrets: AppSecretsRepository,
    private readonly auditRecorder: AuditRecorder,
    private readonly lastUsedRecorder: LastUsedRecorder,
    private readonly clock: Clock,
  ) {}

  /** Creates a secret in the caller's transaction and returns it. Only its hash is stored. */
  async createSecret(appId: string, createdAt: Date): Promise<string> {
    const secret = generateSecretToken('svc_ocs_');
    await this.secrets.insert({
      id: generateId('sec'),
      appId,
      hash: hashSecretToken(secret),
      last4: secret.slice(-4),
      createdAt,
      expiresAt: null,
      lastUsedAt: null,
    });
    return secret;
  }

  /** @throws ApiError 404, 409 when the app already has three active secrets */
  addSecret(accountId: string, appId: string, expireOthersInSeconds?: number): Promise<string> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.apps.lockApp(accountId, appId))) throw notFoundError('app');
      const now = this.clock.currentDate();
      if (expireOthersInSeconds !== undefined) {
        await this.secrets.expireAllByApp(appId, new Date(now.getTime() + expireOthersInSeconds * SECOND));
      }
      if ((await this.secrets.findLiveIds(appId, now)).length >= MAX_LIVE_SECRETS) {
        throw new ApiError('conflict', `An app can have at most ${MAX_LIVE_SECRETS} active secrets. Remove one first.`);
      }
      const secret = await this.createSecret(appId, now);
      await this.apps.update(appId, {}, now);
      await this.auditRecorder.recordActs({ act: 'app.secret_created', accountId, targetId: appId });
      return secret;
    });
  }

  /** Removes a secret, which stops working at once. @throws ApiError 404, 409 for the last active secret */
  removeSecret(accountId: string, appId: string, id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.apps.lockApp(accountId, appId))) throw notFoundError('app');
      const now = this.clock.currentDate();
      const liveIds = await this.secrets.findLiveIds(appId, now);
      if (!liveIds.includes(id)) throw notFoundError('secret');
      if (liveIds.length === 1) throw new ApiError('conflict', 'This is the last secret. Add another one first.');
      await this.deleteSecret(accountId, appId, id, now);
    });
  }

  async findIssuedToken(secret: string): Promise<IssuedToken | null> {
    const row = await this.secrets.findByHash(hashSecretToken(secret));
    if (!row) return null;
    return {
      kind: 'client_secret',
      accountId: row.account_id,
      id: row.id,
      name: row.name,
      appId: row.app_id,
      scopes: null,
      state: isExpired(row, this.clock.currentDate()) ? 'expired' : 'active',
      createdAt: row.created_at.getTime(),
      expiresAt: row.expires_at?.getTime() ?? null,
      lastUsedAt: row.last_used_at?.getTime() ?? null,
      lastUsedAddress: null,
    };
  }

  /** Deletes the secret, unlike `removeSecret` also the last one: nobody may authenticate with a leaked secret. */
  revokeIssuedToken(secret: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const now = this.clock.currentDate();
      const row = await this.secrets.findByHash(hashSecretToken(secret));
      if (!row || isExpired(row, now) || !(await this.apps.lockApp(row.account_id, row.app_id))) return;
      await this.deleteSecret(row.account_id, row.app_id, row.id, now);
    });
  }

  private async deleteSecret(accountId: string, appId: string, id: string, now: Date): Promise<void> {
    await this.secrets.delete(id);
    await this.apps.update(appId, {}, now);
    await this.auditRecorder.recordActs({ act: 'app.secret_deleted', accountId, targetId: appId });
  }

  /** Checks for an active secret of an active app, and records its use at most once a minute. */
  async isValidSecret(appId: string, secret: string): Promise<boolean> {
    if (!isWellFormedToken('svc_oapp_', appId) || !isWellFormedToken('svc_ocs_', secret)) return false;
    const storedSecret = await this.secrets.findLive(appId, hashSecretToken(secret), this.clock.currentDate());
    if (!storedSecret) return false;
    this.lastUsedRecorder.record(storedSecret, (id, now, before) => this.secrets.updateLastUsedAt(id, now, before));
    return true;
  }
}

function isExpired({ expires_at: expiresAt }: { expires_at: Date | null }, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}
