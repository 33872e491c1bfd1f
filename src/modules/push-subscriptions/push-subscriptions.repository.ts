import { Injectable } from '@nestjs/common';
import { isWellFormedId } from '../../common/ids';
import type { Page, PageQueryDto } from '../../common/pages';
import { creationOrderKey, KeysetPageReader, streamRows, UnitOfWork } from '../../core/database';
import type { PushSubscriptionRow } from './push-subscription.response.dto';
import { PushSubscriptionEntity } from './push-subscription.entity';

/** Stores the subscriptions of browsers. Their notices are deleted with them. */
@Injectable()
export class PushSubscriptionsRepository {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly pager: KeysetPageReader,
  ) {}

  /** Inserts the subscription instead of those of the same browser, also in another account. */
  async replace(subscription: PushSubscriptionEntity): Promise<void> {
    await this.unitOfWork.queryRows('DELETE FROM push_subscriptions WHERE device_id = $1 OR endpoint_hash = $2', [
      subscription.deviceId,
      subscription.endpointHash,
    ]);
    await this.unitOfWork.manager.insert(PushSubscriptionEntity, subscription);
  }

  async countOfOthers(accountId: string, deviceId: string): Promise<number> {
    const [row] = await this.unitOfWork.queryRows<{ count: string }>(
      'SELECT count(*) FROM push_subscriptions WHERE account_id = $1 AND device_id <> $2',
      [accountId, deviceId],
    );
    return Number(row!.count);
  }

  /** @param serverKey leaves out subscriptions with another key, which no push service accepts any more */
  findPage(accountId: string, serverKey: string | null, query: PageQueryDto): Promise<Page<PushSubscriptionRow>> {
    return this.pager.readPage<PushSubscriptionRow>(
      {
        name: 'push-subscriptions',
        ownerId: accountId,
        select: 'SELECT r.* FROM push_subscriptions r',
        key: creationOrderKey('r'),
        where: (_, bind) => [`r.account_id = ${bind(accountId)}`, `r.server_key = ${bind(serverKey)}`],
      },
      query,
    );
  }

  scanByAccount(accountId: string): AsyncGenerator<PushSubscriptionRow> {
    return streamRows(this.unitOfWork, 'SELECT r.* FROM push_subscriptions r WHERE r.account_id = $1', 'r', accountId);
  }

  /** Returns false when the account has no such subscription. */
  async delete(accountId: string, id: string): Promise<boolean> {
    if (!isWellFormedId('push', id)) return false;
    const rows = await this.unitOfWork.queryRows(
      'DELETE FROM push_subscriptions WHERE account_id = $1 AND id = $2 RETURNING 1',
      [accountId, id],
    );
    return rows.length > 0;
  }

  async deleteByDevice(deviceId: string): Promise<void> {
    await this.unitOfWork.queryRows('DELETE FROM push_subscriptions WHERE device_id = $1', [deviceId]);
  }

  async deleteByAccount(accountId: string): Promise<void> {
    await this.unitOfWork.queryRows('DELETE FROM push_subscriptions WHERE account_id = $1', [accountId]);
  }
}
