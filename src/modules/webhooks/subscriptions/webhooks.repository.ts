import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../../common/ids';
import type { Page } from '../../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../../core/database';
import type { WebhookDisabledReason, WebhookRow, WebhookLifecycleState } from './webhook.response.dto';
import { WebhookEntity } from './webhook.entity';
import type { ListWebhooksQueryDto } from './webhooks.dto';

const SELECT_WEBHOOKS = `SELECT w.*, q.failing_since, q.last_delivery_at, q.last_delivery_status
  FROM webhooks w JOIN webhook_endpoint_queues q ON q.webhook_id = w.id`;

@Injectable()
export class WebhooksRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Inserts the webhook with its endpoint queue. */
  async insert(webhook: WebhookEntity): Promise<void> {
    await this.unitOfWork.manager.insert(WebhookEntity, webhook);
    await this.unitOfWork.queryRows('INSERT INTO webhook_endpoint_queues (webhook_id) VALUES ($1)', [webhook.id]);
  }

  async count(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: string }>(
      'SELECT count(*) FROM webhooks WHERE account_id = $1',
      [accountId],
    );
    return Number(row!.count);
  }

  /** @param appId limits the search to webhooks of this app; null finds those of any creator */
  async find(accountId: string, appId: string | null, id: string): Promise<WebhookRow | undefined> {
    if (!isWellFormedId('whk', id)) return undefined;
    const [row] = await this.unitOfWork.queryRows<WebhookRow>(
      `${SELECT_WEBHOOKS} WHERE w.account_id = $1 AND w.id = $2 AND ($3::text IS NULL OR w.app_id = $3)`,
      [accountId, id, appId],
    );
    return row;
  }

  /** Returns the current URLs by webhook id. */
  async findUrls(ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.unitOfWork.queryRows<{ id: string; url: string }>(
      'SELECT id, url FROM webhooks WHERE id = ANY($1)',
      [ids],
    );
    return new Map(rows.map(({ id, url }) => [id, url]));
  }

  async setState(id: string, state: WebhookLifecycleState, reason: string | null, at: Date): Promise<void> {
    await this.unitOfWork.manager.update(WebhookEntity, { id }, { state, disabledReason: reason, updatedAt: at });
  }

  /** Saves the given settings of the webhook. */
  async updateSubscription(
    id: string,
    changes: Partial<
      Pick<WebhookEntity, 'url' | 'events' | 'description' | 'scopes' | 'format' | 'headerNames' | 'headers'>
    >,
    at: Date,
  ): Promise<void> {
    await this.unitOfWork.manager.update(WebhookEntity, { id }, { ...changes, updatedAt: at });
  }

  /**
   * Disables a webhook. Returns it, or undefined if it was disabled before or has another URL by now.
   * @param url URL that has failed; null: any
   */
  async disableWebhook(
    id: string,
    url: string | null,
    reason: WebhookDisabledReason,
    at: Date,
  ): Promise<WebhookRow | undefined> {
    const [row] = await this.unitOfWork.queryRows<{ account_id: string }>(
      `UPDATE webhooks SET state = 'disabled', disabled_reason = $3, updated_at = $4
        WHERE id = $1 AND ($2::text IS NULL OR url = $2) AND state <> 'disabled' RETURNING account_id`,
      [id, url, reason, at],
    );
    return row && this.find(row.account_id, null, id);
  }

  /** Disables what a deleted account has subscribed to, without a reason that somebody could read. */
  async disableAll(accountId: string): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhooks SET state = 'disabled' WHERE account_id = $1 AND state <> 'disabled'`,
      [accountId],
    );
  }

  /** Replaces the secret. The current one stays valid until `oldEndsAt`. An older one ends immediately. */
  async rotateSecret(id: string, secret: Buffer, oldEndsAt: Date, at: Date): Promise<void> {
    await this.unitOfWork.queryRows(
      `UPDATE webhooks SET old_secret = secret, old_secret_ends_at = $3, secret = $2, updated_at = $4 WHERE id = $1`,
      [id, secret, oldEndsAt, at],
    );
  }

  /** Returns false if there is no such webhook, as after a concurrent deletion. */
  async delete(id: string): Promise<boolean> {
    const rows = await this.unitOfWork.queryRows('DELETE FROM webhooks WHERE id = $1 RETURNING 1', [id]);
    return rows.length === 1;
  }

  async findIdsByApp(appId: string, accountIds: string[]): Promise<string[]> {
    return this.findIds('account_id = ANY($2) AND app_id = $1', [appId, accountIds]);
  }

  async findIdsByToken(accountId: string, tokenId: string): Promise<string[]> {
    return this.findIds('account_id = $1 AND token_id = $2', [accountId, tokenId]);
  }

  scanByAccount(accountId: string): AsyncGenerator<WebhookRow> {
    return streamRows(this.unitOfWork, `${SELECT_WEBHOOKS} WHERE w.account_id = $1`, 'w', accountId);
  }

  findPage(accountId: string, appId: string | null, query: ListWebhooksQueryDto): Promise<Page<WebhookRow>> {
    return this.pager.readPage<WebhookRow>(
      {
        name: 'webhooks',
        ownerId: appId ? `${accountId}:${appId}` : accountId,
        select: SELECT_WEBHOOKS,
        key: creationOrderKey('w'),
        where: (_, bind) => [`w.account_id = ${bind(accountId)}`, ...(appId ? [`w.app_id = ${bind(appId)}`] : [])],
        filterConditions: {
          state: (value, bind) => `w.state = ${bind(value)}`,
          event: (value, bind) => `w.events && ARRAY[${bind(value)}::text, '*']`,
        },
      },
      query,
    );
  }

  private async findIds(where: string, parameters: unknown[]): Promise<string[]> {
    const rows = await this.unitOfWork.queryRows<{ id: string }>(
      `SELECT id FROM webhooks WHERE ${where} ORDER BY id`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }
}
