import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter, AccountRevocationRegistry, AccountsService } from '../../accounts';
import { AuditRecorder } from '../../../access/audit';
import { invalidToken } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { invalidBodyError, notFoundError, planLimitExceededError } from '../../../common/errors';
import { generateId } from '../../../common/ids';
import { mapPage, type Page } from '../../../common/pages';
import { IdempotentWritesService, type IdempotentCall } from '../../../access/idempotency';
import { AppAuthorizationsService } from '../../developer-apps';
import { UnitOfWork } from '../../../core/database';
import { EndpointQueuesRepository } from '../dispatch/endpoint-queues.repository';
import { generateSigningKey, formatSigningSecret, TargetUrlValidator } from '../../webhook-sending';
import { requireEventAccess, type EventRecipient } from '../../event-access';
import { normalizeHeaders } from './custom-headers';
import { SigningSecretCipher } from './signing-secret-cipher';
import { toWebhookDto, type WebhookDto, type WebhookWithSecretDto } from './webhook.response.dto';
import type { CreateWebhookDto, ListWebhooksQueryDto } from './webhooks.dto';
import { WebhooksRepository } from './webhooks.repository';

/** Selects all webhooks of an account, or those of one app. */
export type WebhookOwnerFilter = Pick<EventRecipient, 'accountId' | 'appId'>;

/** Creates, reads and deletes webhooks. An app has access to its own webhooks only. */
@Injectable()
export class WebhooksService implements OnModuleInit {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotentWritesService: IdempotentWritesService,
    private readonly accounts: AccountsService,
    private readonly webhooks: WebhooksRepository,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly signingSecretCipher: SigningSecretCipher,
    private readonly targetUrlValidator: TargetUrlValidator,
    private readonly clock: Clock,
    private readonly authorizations: AppAuthorizationsService,
    private readonly auditRecorder: AuditRecorder,
    private readonly accountRevocations: AccountRevocationRegistry,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.authorizations.onRevocation((appId, accountIds) => this.deleteForApp(appId, accountIds));
    this.accountRevocations.registerRevocationStep((accountId) => this.webhooks.disableAll(accountId));
    this.accountExporter.registerSection({
      name: 'webhooks',
      scanRows: (accountId) => this.webhooks.scanByAccount(accountId),
      toRecord: toWebhookDto,
    });
  }

  /**
   * @param idempotentRequest null without an `Idempotency-Key`
   * @throws {ApiError} 401 when the app's authorization was revoked meanwhile, 403 for events that the owner may not
   *   see or above the plan limit, 400 for an invalid URL, 409 and 422 for idempotency conflicts
   */
  async createWebhook(
    owner: EventRecipient,
    request: CreateWebhookDto,
    idempotentRequest: IdempotentCall | null = null,
  ) {
    requireEventAccess(owner, request.events);
    // Outside of the transaction, since it resolves the host. It matters only for the first call with a key.
    const urlViolation = await this.targetUrlValidator.findViolation(request.url);
    return this.idempotentWritesService.runOnce<WebhookWithSecretDto>(
      idempotentRequest,
      () => this.insertWebhook(owner, request, urlViolation),
      ({ data }) => ({ status: 201, body: { data, signingSecret: null }, headers: {} }),
    );
  }

  async listWebhooks({ accountId, appId }: WebhookOwnerFilter, query: ListWebhooksQueryDto): Promise<Page<WebhookDto>> {
    return mapPage(await this.webhooks.findPage(accountId, appId, query), toWebhookDto);
  }

  /** @throws {ApiError} `not_found` */
  async getWebhook({ accountId, appId }: WebhookOwnerFilter, id: string): Promise<WebhookDto> {
    const row = await this.webhooks.find(accountId, appId, id);
    if (!row) throw notFoundError('webhook');
    return toWebhookDto(row);
  }

  /**
   * Deletes the webhook. Results of attempts in flight are discarded. `DeletedWebhookCleanup` deletes its log.
   * @throws {ApiError} `not_found`
   */
  deleteWebhook(webhookOwnerFilter: WebhookOwnerFilter, id: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      await this.getWebhook(webhookOwnerFilter, id);
      const deletedIds = await this.deleteByIds([id]);
      // A concurrent call has deleted it since it was read.
      if (deletedIds.length === 0) throw notFoundError('webhook');
      await this.recordDeletions(webhookOwnerFilter.accountId, deletedIds);
    });
  }

  /** Deletes the webhooks of a token that is being revoked. */
  deleteForToken(accountId: string, tokenId: string): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      const ids = await this.webhooks.findIdsByToken(accountId, tokenId);
      await this.recordDeletions(accountId, await this.deleteByIds(ids));
    });
  }

  /** @throws {ApiError} `invalid_request` at `/url` */
  async requireValidUrl(url: string): Promise<void> {
    const violation = await this.targetUrlValidator.findViolation(url);
    if (violation) throw invalidUrlError(violation);
  }

  private async insertWebhook(
    owner: EventRecipient,
    { url, events, description, format, headers }: CreateWebhookDto,
    urlViolation: string | null,
  ) {
    if (urlViolation) throw invalidUrlError(urlViolation);
    const { accountId, tokenId, appId, scopes } = owner;
    await this.accounts.lockAccount(accountId);
    await this.requireAuthorization(owner);
    const { maxWebhooks: limit } = await this.accounts.getPlanLimits(accountId);
    if ((await this.webhooks.count(accountId)) >= limit) {
      throw planLimitExceededError(`An account has at most ${limit} webhooks.`, limit);
    }
    const id = generateId('whk');
    const createdAt = this.clock.currentDate();
    const key = generateSigningKey();
    const customHeaders = normalizeHeaders(headers ?? {});
    await this.webhooks.insert({
      id,
      accountId,
      url,
      events,
      description: description ?? null,
      format: format ?? 'standard',
      headerNames: Object.keys(customHeaders),
      headers: this.signingSecretCipher.encryptHeaders(customHeaders, id),
      state: 'active',
      disabledReason: null,
      tokenId,
      appId,
      scopes: [...scopes],
      secret: this.signingSecretCipher.encryptKey(key, id),
      oldSecret: null,
      oldSecretEndsAt: null,
      createdAt,
      updatedAt: createdAt,
    });
    await this.auditRecorder.recordActs({ act: 'webhook.created', accountId, targetId: id });
    return { data: await this.getWebhook(owner, id), signingSecret: formatSigningSecret(key) };
  }

  private async requireAuthorization({ accountId, appId }: EventRecipient): Promise<void> {
    if (appId !== null && !(await this.authorizations.lockAuthorization(accountId, appId)))
      throw invalidToken('revoked');
  }

  private async deleteForApp(appId: string, accountIds: string[]): Promise<void> {
    await this.deleteByIds(await this.webhooks.findIdsByApp(appId, accountIds));
  }

  /** Locks the endpoint queues first, as everywhere, to avoid deadlocks. Returns what this call has deleted. */
  private async deleteByIds(ids: string[]): Promise<string[]> {
    await this.endpointQueues.lockEndpointQueues(ids);
    const deletedIds: string[] = [];
    for (const id of ids) if (await this.webhooks.delete(id)) deletedIds.push(id);
    return deletedIds;
  }

  private recordDeletions(accountId: string, ids: readonly string[]): Promise<void> {
    const act = 'webhook.deleted' as const;
    return this.auditRecorder.recordActs(ids.map((targetId) => ({ act, accountId, targetId })));
  }
}

function invalidUrlError(violation: string) {
  return invalidBodyError('/url', 'invalid_format', violation);
}
