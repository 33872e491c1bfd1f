import { Injectable } from '@nestjs/common';
import { AccountsService } from '../../accounts';
import { invalidToken } from '../../auth';
import { Clock } from '../../common/clock';
import { invalidRequest, notFound, planLimitExceeded } from '../../common/errors';
import { newId } from '../../common/ids';
import { mapPage, type Page } from '../../common/pages';
import { KeyedWrites, type KeyedRequest } from '../../idempotency';
import { AppAuthorizations } from '../../developer-apps';
import { UnitOfWork } from '../../persistence';
import { LanesRepository } from '../engine/lanes.repository';
import { newSigningKey, toSigningSecret } from '../sending/signature';
import { TargetUrls } from '../sending/target-url';
import type { Creator } from './creator';
import { requireAccess } from './event-access';
import { SecretVault } from './secret-vault';
import { toWebhookRecord, type WebhookRecord, type WebhookWithSecretRecord } from './webhook-record';
import type { CreateWebhookDto, WebhookQuery } from './webhooks.dto';
import { WebhooksRepository } from './webhooks.repository';

/** Whose subscriptions are meant: all of the account, or those that one app made. */
export type Owner = Pick<Creator, 'accountId' | 'appId'>;

/** Subscriptions: made, read and ended. An app knows its own alone. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keyedWrites: KeyedWrites,
    private readonly accounts: AccountsService,
    private readonly webhooks: WebhooksRepository,
    private readonly lanes: LanesRepository,
    private readonly vault: SecretVault,
    private readonly urls: TargetUrls,
    private readonly clock: Clock,
    private readonly authorizations: AppAuthorizations,
  ) {
    authorizations.onEnd((appId, accountIds) => this.removeForApp(appId, accountIds));
  }

  /**
   * @param keyed null without an `Idempotency-Key`
   * @throws ApiError 401 for an app whose authorization has ended meanwhile, 403 for events that the creator may not see or one webhook too many, 400 for a URL out of bounds,
   *   422 and 409 as for every key
   */
  async create(creator: Creator, request: CreateWebhookDto, keyed: KeyedRequest | null = null) {
    requireAccess(creator, request.events);
    await this.requireTarget(request.url);
    return this.keyedWrites.run<WebhookWithSecretRecord>(
      keyed,
      () => this.insert(creator, request),
      ({ data }) => ({ status: 201, body: { data, signingSecret: null }, headers: {} }),
    );
  }

  async list({ accountId, appId }: Owner, query: WebhookQuery): Promise<Page<WebhookRecord>> {
    return mapPage(await this.webhooks.page(accountId, appId, query), toWebhookRecord);
  }

  /** @throws ApiError 404 */
  async get({ accountId, appId }: Owner, id: string): Promise<WebhookRecord> {
    const row = await this.webhooks.find(accountId, appId, id);
    if (!row) throw notFound('webhook');
    return toWebhookRecord(row);
  }

  /** Those under way end unseen; its log is cleared away behind it (`Remains`). @throws ApiError 404 */
  delete(owner: Owner, id: string): Promise<void> {
    return this.unitOfWork.run(async () => {
      await this.get(owner, id);
      await this.remove([id]);
    });
  }

  /** Where a person revokes the token and wants its subscriptions gone as well. */
  removeForToken(accountId: string, tokenId: string): Promise<void> {
    return this.unitOfWork.run(async () => this.remove(await this.webhooks.idsOfToken(accountId, tokenId)));
  }

  /** @throws ApiError 400 at `/url` */
  async requireTarget(url: string): Promise<void> {
    const fault = await this.urls.faultOf(url);
    if (!fault) return;
    const message = `/url ${fault}.`;
    throw invalidRequest([{ in: 'body', path: '/url', code: 'invalid_format', message }]);
  }

  private async insert(creator: Creator, { url, events, description }: CreateWebhookDto) {
    const { accountId, tokenId, appId, scopes } = creator;
    await this.accounts.lock(accountId);
    await this.requireAuthorization(creator);
    const { maxWebhooks: limit } = await this.accounts.limitsOf(accountId);
    if ((await this.webhooks.count(accountId)) >= limit) {
      throw planLimitExceeded(`An account has at most ${limit} webhooks.`, limit);
    }
    const id = newId('whk');
    const createdAt = this.clock.date();
    const key = newSigningKey();
    await this.webhooks.insert({
      id,
      accountId,
      url,
      events,
      description: description ?? null,
      state: 'active',
      disabledReason: null,
      tokenId,
      appId,
      scopes: [...scopes],
      secret: this.vault.seal(key, id),
      oldSecret: null,
      oldSecretEndsAt: null,
      createdAt,
      updatedAt: createdAt,
    });
    return { data: await this.get(creator, id), signingSecret: toSigningSecret(key) };
  }

  private async requireAuthorization({ accountId, appId }: Creator): Promise<void> {
    if (appId !== null && !(await this.authorizations.hold(accountId, appId))) throw invalidToken('revoked');
  }

  private async removeForApp(appId: string, accountIds: string[]): Promise<void> {
    await this.remove(await this.webhooks.idsOfApp(appId, accountIds));
  }

  /** The lane first, as everywhere, so that nobody waits for each other. */
  private async remove(ids: string[]): Promise<void> {
    await this.lanes.lock(ids);
    for (const id of ids) await this.webhooks.delete(id);
  }
}
