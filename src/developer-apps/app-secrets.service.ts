import { Injectable } from '@nestjs/common';
import { Clock, MINUTE, SECOND } from '../common/clock';
import { ApiError, notFound } from '../common/errors';
import { newId } from '../common/ids';
import { hashToken, isWellFormedToken, mintToken } from '../common/secret-token';
import { UnitOfWork } from '../persistence';
import { AppSecretsRepository } from './app-secrets.repository';
import { DeveloperAppsRepository } from './developer-apps.repository';

/** Of an app. */
export const MAX_LIVE_SECRETS = 3;

/** The secrets by which an app proves who it is. */
@Injectable()
export class AppSecretsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly apps: DeveloperAppsRepository,
    private readonly secrets: AppSecretsRepository,
    private readonly clock: Clock,
  ) {}

  /** In the caller's transaction. Answers the secret, which is known at this moment alone. */
  async create(appId: string, createdAt: Date): Promise<string> {
    const secret = mintToken('svc_ocs_');
    await this.secrets.insert({
      id: newId('sec'),
      appId,
      hash: hashToken(secret),
      last4: secret.slice(-4),
      createdAt,
      expiresAt: null,
      lastUsedAt: null,
    });
    return secret;
  }

  /** @throws ApiError 404, 409 for a fourth live one */
  add(accountId: string, appId: string, expireOthersInSeconds?: number): Promise<string> {
    return this.unitOfWork.run(async () => {
      if (!(await this.apps.lock(accountId, appId))) throw notFound('app');
      const now = this.clock.date();
      if (expireOthersInSeconds !== undefined) {
        await this.secrets.expireAll(appId, new Date(now.getTime() + expireOthersInSeconds * SECOND));
      }
      if ((await this.secrets.liveIds(appId, now)).length >= MAX_LIVE_SECRETS) {
        throw new ApiError('conflict', `An app has at most ${MAX_LIVE_SECRETS} live secrets; remove one first.`);
      }
      const secret = await this.create(appId, now);
      await this.apps.update(appId, {}, now);
      return secret;
    });
  }

  /** Ends it at once. @throws ApiError 404, 409 for the last live one */
  remove(accountId: string, appId: string, id: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      if (!(await this.apps.lock(accountId, appId))) throw notFound('app');
      const now = this.clock.date();
      const live = await this.secrets.liveIds(appId, now);
      if (!live.includes(id)) throw notFound('secret');
      if (live.length === 1) throw new ApiError('conflict', 'This is the last secret; add another one first.');
      await this.secrets.delete(id);
      await this.apps.update(appId, {}, now);
    });
  }

  /** Whether this is a live secret of that active app, which is then noted as used, at most once a minute. */
  async isRight(appId: string, secret: string): Promise<boolean> {
    if (!isWellFormedToken('svc_oapp_', appId) || !isWellFormedToken('svc_ocs_', secret)) return false;
    const now = this.clock.date();
    const found = await this.secrets.findLive(appId, hashToken(secret), now);
    if (!found) return false;
    const before = new Date(now.getTime() - MINUTE);
    if (!found.last_used_at || found.last_used_at <= before) await this.secrets.touch(found.id, now, before);
    return true;
  }
}
