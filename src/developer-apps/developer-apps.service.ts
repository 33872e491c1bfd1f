import { Injectable } from '@nestjs/common';
import { AccountsService } from '../accounts';
import { RecentLookUps } from '../auth';
import { Clock } from '../common/clock';
import { notFound, planLimitExceeded } from '../common/errors';
import { mapPage, type Page, type PageQuery } from '../common/pages';
import { mintToken } from '../common/secret-token';
import { UnitOfWork } from '../persistence';
import { AppSecretsService } from './app-secrets.service';
import { AppAuthorizations } from './authorizations/app-authorizations';
import { toDeveloperAppRecord, type DeveloperAppRecord } from './developer-app-record';
import type { AppState } from './developer-app.entity';
import type { CreateDeveloperAppDto, UpdateDeveloperAppDto } from './developer-apps.dto';
import { DeveloperAppsRepository } from './developer-apps.repository';

/** The only moment at which a secret is known here. */
export interface AppWithSecret {
  data: DeveloperAppRecord;
  clientSecret: string;
}

/** Third-party apps, for those who write them. */
@Injectable()
export class DeveloperAppsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly apps: DeveloperAppsRepository,
    private readonly secrets: AppSecretsService,
    private readonly authorizations: AppAuthorizations,
    private readonly accounts: AccountsService,
    private readonly lookUps: RecentLookUps,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 403 `plan_limit_exceeded` */
  create(accountId: string, body: CreateDeveloperAppDto): Promise<AppWithSecret> {
    return this.unitOfWork.run(async () => {
      await this.accounts.lock(accountId);
      const { maxApps: limit } = await this.accounts.limitsOf(accountId);
      if ((await this.apps.count(accountId)) >= limit) {
        throw planLimitExceeded(`An account has at most ${limit} apps.`, limit);
      }
      const id = mintToken('svc_oapp_');
      const now = this.clock.date();
      await this.apps.insert({
        id,
        accountId,
        name: body.name,
        description: body.description || null,
        homepageUrl: body.homepageUrl || null,
        redirectUris: body.redirectUris,
        state: 'active',
        createdAt: now,
        updatedAt: now,
      });
      const clientSecret = await this.secrets.create(id, now);
      return { data: await this.get(accountId, id), clientSecret };
    });
  }

  async list(accountId: string, query: PageQuery): Promise<Page<DeveloperAppRecord>> {
    const now = this.clock.now();
    return mapPage(await this.apps.page(accountId, query), (row) => toDeveloperAppRecord(row, now));
  }

  /** @throws ApiError 404 */
  async get(accountId: string, id: string): Promise<DeveloperAppRecord> {
    const row = await this.apps.find(accountId, id);
    if (!row) throw notFound('app');
    return toDeveloperAppRecord(row, this.clock.now());
  }

  /** @throws ApiError 404 */
  async update(accountId: string, id: string, body: UpdateDeveloperAppDto): Promise<DeveloperAppRecord> {
    const { name, description, homepageUrl, redirectUris } = body;
    return this.change(accountId, id, (now) =>
      this.apps.update(
        id,
        {
          ...(name !== undefined && { name }),
          ...(description !== undefined && { description: description || null }),
          ...(homepageUrl !== undefined && { homepageUrl: homepageUrl || null }),
          ...(redirectUris !== undefined && { redirectUris }),
        },
        now,
      ),
    );
  }

  /** While it is disabled nothing of the app works; what it held works again when it is enabled. @throws ApiError 404 */
  async setState(accountId: string, id: string, state: AppState): Promise<DeveloperAppRecord> {
    return this.change(accountId, id, async (now) => {
      await this.apps.update(id, { state }, now);
      this.unitOfWork.afterCommit(() => this.lookUps.forgetAll());
    });
  }

  /** Ends every authorization, and with it all tokens and codes: people are asked again. @throws ApiError 404 */
  async revokeAll(accountId: string, id: string): Promise<DeveloperAppRecord> {
    return this.change(accountId, id, () => this.authorizations.endAll(id));
  }

  /** With all that hangs from it. @throws ApiError 404 */
  async delete(accountId: string, id: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.requireOwn(accountId, id);
      await this.authorizations.endAll(id);
      await this.apps.delete(id);
    });
  }

  private change(accountId: string, id: string, act: (now: Date) => Promise<void>): Promise<DeveloperAppRecord> {
    return this.unitOfWork.run(async () => {
      await this.requireOwn(accountId, id);
      await act(this.clock.date());
      return this.get(accountId, id);
    });
  }

  private async requireOwn(accountId: string, id: string): Promise<void> {
    if (!(await this.apps.lock(accountId, id))) throw notFound('app');
  }
}
