import { Injectable } from '@nestjs/common';
import { isId } from '../../common/ids';
import type { Page } from '../../common/pages';
import { byCreation, KeysetPager, scan, UnitOfWork, type Bind, type Filters } from '../../persistence';
import type { WebhookRow, WebhookState } from './webhook-record';
import { WebhookEntity } from './webhook.entity';
import type { WebhookQuery } from './webhooks.dto';

const SELECT = `SELECT w.*, l.failing_since, l.last_delivery_at, l.last_delivery_status
  FROM webhooks w JOIN webhook_lanes l ON l.webhook_id = w.id`;

@Injectable()
export class WebhooksRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPager,
  ) {}

  /** With the lane of its deliveries. */
  async insert(webhook: WebhookEntity): Promise<void> {
    await this.unitOfWork.manager.insert(WebhookEntity, webhook);
    await this.unitOfWork.query('INSERT INTO webhook_lanes (webhook_id) VALUES ($1)', [webhook.id]);
  }

  async count(accountId: string): Promise<number> {
    const [row] = await this.unitOfWork.query<{ count: string }>(
      'SELECT count(*) FROM webhooks WHERE account_id = $1',
      [accountId],
    );
    return Number(row!.count);
  }

  /** @param appId only if this app made it; null: whoever did */
  async find(accountId: string, appId: string | null, id: string): Promise<WebhookRow | undefined> {
    if (!isId('whk', id)) return undefined;
    const [row] = await this.unitOfWork.query<WebhookRow>(
      `${SELECT} WHERE w.account_id = $1 AND w.id = $2 AND ($3::text IS NULL OR w.app_id = $3)`,
      [accountId, id, appId],
    );
    return row;
  }

  async setState(id: string, state: WebhookState, reason: string | null, at: Date): Promise<void> {
    await this.unitOfWork.manager.update(WebhookEntity, { id }, { state, disabledReason: reason, updatedAt: at });
  }

  /** By the engine, whatever state it was in. */
  async disable(id: string, reason: 'gone' | 'failing', at: Date): Promise<void> {
    await this.setState(id, 'disabled', reason, at);
  }

  /** The present secret goes on until `oldEndsAt`; one that was going on already ends. */
  async rotateSecret(id: string, secret: Buffer, oldEndsAt: Date, at: Date): Promise<void> {
    await this.unitOfWork.query(
      `UPDATE webhooks SET old_secret = secret, old_secret_ends_at = $3, secret = $2, updated_at = $4 WHERE id = $1`,
      [id, secret, oldEndsAt, at],
    );
  }

  async delete(id: string): Promise<void> {
    await this.unitOfWork.manager.delete(WebhookEntity, { id });
  }

  async idsOfApp(appId: string, accountIds: string[]): Promise<string[]> {
    return this.ids('account_id = ANY($2) AND app_id = $1', [appId, accountIds]);
  }

  async idsOfToken(accountId: string, tokenId: string): Promise<string[]> {
    return this.ids('account_id = $1 AND token_id = $2', [accountId, tokenId]);
  }

  scan(accountId: string): AsyncGenerator<WebhookRow> {
    return scan(this.unitOfWork, `${SELECT} WHERE w.account_id = $1`, 'w', accountId);
  }

  page(accountId: string, appId: string | null, query: WebhookQuery): Promise<Page<WebhookRow>> {
    return this.pager.page<WebhookRow>(
      {
        name: 'webhooks',
        owner: appId ? `${accountId}:${appId}` : accountId,
        select: SELECT,
        key: byCreation('w'),
        where: (filters, bind) => [
          `w.account_id = ${bind(accountId)}`,
          ...(appId ? [`w.app_id = ${bind(appId)}`] : []),
          ...conditions(filters, bind),
        ],
      },
      query,
    );
  }

  private async ids(where: string, parameters: unknown[]): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ id: string }>(
      `SELECT id FROM webhooks WHERE ${where} ORDER BY id`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }
}

function conditions({ state, event }: Filters, bind: Bind): string[] {
  return [
    ...(state === undefined ? [] : [`w.state = ${bind(state)}`]),
    ...(event === undefined ? [] : [`w.events && ARRAY[${bind(event)}::text, '*']`]),
  ];
}
