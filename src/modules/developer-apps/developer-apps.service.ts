import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter, AccountRevocationRegistry, AccountsService } from '../accounts';
import { AuditRecorder, type AuditActName } from '../../access/audit';
import { TokenCache } from '../../access/auth';
import { Clock } from '../../common/clock';
import { notFoundError, planLimitExceededError } from '../../common/errors';
import { mapPage, type Page, type PageQueryDto } from '../../common/pages';
import { generateSecretToken } from '../../common/secret-token';
import { UnitOfWork } from '../../core/database';
import { AppSecretsService } from './app-secrets.service';
import { AppAuthorizationsService } from './authorizations/app-authorizations.service';
import { toDeveloperAppDto, type AppWithSecretDto, type DeveloperAppDto } from './developer-app.response.dto';
import type { DeveloperAppState } from './developer-app.entity';
import type { CreateDeveloperAppDto, UpdateDeveloperAppDto } from './developer-apps.dto';
import { DeveloperAppsRepository } from './developer-apps.repository';

/** Third-party apps, managed by their developers. */
@Injectable()
export class DeveloperAppsService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly apps: DeveloperAppsRepository,
    private readonly secrets: AppSecretsService,
    private readonly authorizations: AppAuthorizationsService,
    private readonly accounts: AccountsService,
    private readonly tokenCache: TokenCache,
    private readonly clock: Clock,
    private readonly accountExporter: AccountExporter,
    private readonly accountRevocations: AccountRevocationRegistry,
    private readonly auditRecorder: AuditRecorder,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'apps',
      scanRows: (accountId) => this.apps.scanByAccount(accountId),
      toRecord: (row) => toDeveloperAppDto(row, this.clock.now()),
    });
    this.accountRevocations.registerRevocationStep((accountId) => this.endAppsOfAccount(accountId));
  }

  /** @throws ApiError 403 `plan_limit_exceeded` */
  createDeveloperApp(accountId: string, body: CreateDeveloperAppDto): Promise<AppWithSecretDto> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.accounts.lockAccount(accountId);
      const { maxApps: limit } = await this.accounts.getPlanLimits(accountId);
      if ((await this.apps.countByAccount(accountId)) >= limit) {
        throw planLimitExceededError(`An account can have at most ${limit} apps.`, limit);
      }
      const id = generateSecretToken('svc_oapp_');
      const now = this.clock.currentDate();
      await this.apps.insert({
        id,
        accountId,
        name: body.name,
        description: body.description || null,
        homepageUrl: body.homepageUrl || null,
        redirectUris: body.redirectUris,
        state: 'active',
        suspendedAt: null,
        createdAt: now,
        updatedAt: now,
      });
      const clientSecret = await this.secrets.createSecret(id, now);
      await this.auditRecorder.recordActs({ act: 'app.created', accountId, targetId: id });
      return { data: await this.getDeveloperApp(accountId, id), clientSecret };
    });
  }

  async listDeveloperApps(accountId: string, query: PageQueryDto): Promise<Page<DeveloperAppDto>> {
    const now = this.clock.now();
    return mapPage(await this.apps.findPage(accountId, query), (row) => toDeveloperAppDto(row, now));
  }

  /** @throws ApiError 404 */
  async getDeveloperApp(accountId: string, id: string): Promise<DeveloperAppDto> {
    const row = await this.apps.find(accountId, id);
    if (!row) throw notFoundError('app');
    return toDeveloperAppDto(row, this.clock.now());
  }

  /** @throws ApiError 404 */
  async updateDeveloperApp(accountId: string, id: string, body: UpdateDeveloperAppDto): Promise<DeveloperAppDto> {
    const { name, description, homepageUrl, redirectUris } = body;
    return this.changeApp(accountId, id, 'app.updated', (now) =>
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

  /**
   * Enables or disables the app. While it is disabled its tokens and secrets do not work. A repeated call changes
   * nothing: it has no audit event and leaves the token cache alone.
   * @throws ApiError 404
   */
  async setDeveloperAppState(accountId: string, id: string, state: DeveloperAppState): Promise<DeveloperAppDto> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.lockOwnApp(accountId, id);
      if ((await this.apps.find(accountId, id))?.state === state) return this.getDeveloperApp(accountId, id);
      return this.changeApp(accountId, id, state === 'active' ? 'app.enabled' : 'app.disabled', async (now) => {
        await this.apps.update(id, { state }, now);
        this.unitOfWork.afterCommit(() => this.tokenCache.invalidateAll());
      });
    });
  }

  /** Revokes all authorizations with their tokens and codes. People must authorize again. @throws ApiError 404 */
  async revokeAllAuthorizations(accountId: string, id: string): Promise<DeveloperAppDto> {
    return this.changeApp(accountId, id, 'app.authorizations_revoked', () =>
      this.authorizations.revokeAllAuthorizations(id),
    );
  }

  /** Deletes the app with all its records. @throws ApiError 404 */
  async deleteDeveloperApp(accountId: string, id: string): Promise<void> {
    await this.unitOfWork.runInTransaction(async () => {
      await this.lockOwnApp(accountId, id);
      await this.authorizations.revokeAllAuthorizations(id);
      await this.apps.delete(id);
      await this.auditRecorder.recordActs({ act: 'app.deleted', accountId, targetId: id });
    });
  }

  private changeApp(
    accountId: string,
    id: string,
    act: AuditActName,
    applyChange: (now: Date) => Promise<void>,
  ): Promise<DeveloperAppDto> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.lockOwnApp(accountId, id);
      await applyChange(this.clock.currentDate());
      await this.auditRecorder.recordActs({ act, accountId, targetId: id });
      return this.getDeveloperApp(accountId, id);
    });
  }

  /**
   * Ends the apps of a deleted account for the people who have authorized them. The cleanup deletes the rows of both,
   * but webhooks, key grants and audit trails of these people belong to other modules.
   */
  private async endAppsOfAccount(accountId: string): Promise<void> {
    for (const id of await this.apps.disableAll(accountId)) {
      await this.authorizations.revokeAuthorizationsInBatches(id, { actor: { kind: 'app', id } });
    }
  }

  private async lockOwnApp(accountId: string, id: string): Promise<void> {
    if (!(await this.apps.lockApp(accountId, id))) throw notFoundError('app');
  }
}
