import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { Outbox } from '../../events';
import { UnitOfWork } from '../../persistence';
import { Dispatcher } from '../engine/dispatcher';
import { LanesRepository } from '../engine/lanes.repository';
import { newSigningKey, toSigningSecret } from '../sending/signature';
import { SecretVault } from './secret-vault';
import type { WebhookRecord, WebhookState, WebhookWithSecretRecord } from './webhook-record';
import { WebhooksRepository } from './webhooks.repository';
import { WebhooksService } from './webhooks.service';

/** What the account's owner does with a webhook beside making and deleting it. */
@Injectable()
export class WebhookControl {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: WebhooksService,
    private readonly webhooks: WebhooksRepository,
    private readonly lanes: LanesRepository,
    private readonly dispatcher: Dispatcher,
    private readonly outbox: Outbox,
    private readonly vault: SecretVault,
    private readonly clock: Clock,
  ) {}

  /** Deliveries wait from now on. @throws ApiError 404, 409 for one that is disabled */
  pause(accountId: string, id: string): Promise<WebhookRecord> {
    return this.change(accountId, id, async ({ state }) => {
      if (state === 'disabled') throw new ApiError('conflict', 'A disabled webhook cannot be paused.');
      await this.setState(id, state, 'paused');
    });
  }

  /** What waits goes out, and how it failed before is forgotten. @throws ApiError 404 */
  resume(accountId: string, id: string): Promise<WebhookRecord> {
    return this.change(accountId, id, async ({ state }) => {
      if (state === 'active') return;
      await this.lanes.heal(id);
      await this.setState(id, state, 'active');
    });
  }

  /** The old secret signs as well until the overlap ends. @throws ApiError 404 */
  rotateSecret(accountId: string, id: string, overlapSeconds = 0): Promise<WebhookWithSecretRecord> {
    const key = newSigningKey();
    const rotated = this.change(accountId, id, async () => {
      const now = this.clock.date();
      const endsAt = new Date(now.getTime() + overlapSeconds * SECOND);
      await this.webhooks.rotateSecret(id, this.vault.seal(key, id), endsAt, now);
    });
    return rotated.then((data) => ({ data, signingSecret: toSigningSecret(key) }));
  }

  /** Sends a `webhook.test`, whatever it subscribes to. @throws ApiError 404, 400 for a URL that is out of bounds by now */
  async test(accountId: string, id: string): Promise<void> {
    const data = await this.subscriptions.get({ accountId, appId: null }, id);
    await this.subscriptions.requireTarget(data.url);
    await this.unitOfWork.run(() => this.outbox.address({ type: 'webhook.test', accountId, data }, id));
  }

  private change(
    accountId: string,
    id: string,
    work: (webhook: WebhookRecord) => Promise<void>,
  ): Promise<WebhookRecord> {
    const owner = { accountId, appId: null };
    return this.unitOfWork.run(async () => {
      await this.subscriptions.get(owner, id);
      await this.lanes.lock([id]);
      await work(await this.subscriptions.get(owner, id));
      await this.lanes.refreshDue([id]);
      this.unitOfWork.afterCommit(() => this.dispatcher.nudge([id]));
      return this.subscriptions.get(owner, id);
    });
  }

  private async setState(id: string, from: WebhookState, to: WebhookState): Promise<void> {
    if (from !== to) await this.webhooks.setState(id, to, null, this.clock.date());
  }
}
