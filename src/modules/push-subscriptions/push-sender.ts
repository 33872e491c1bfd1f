import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Clock, MINUTE, SECOND } from '../../common/clock';
import { Config, type PushConfig } from '../../core/config';
import { isSuccessfulExchange, parseRetryAfterMs, WebhookSender, type WebhookExchange } from '../webhook-sending';
import { isAllowedPushHost } from './push-host-policy';
import { encryptPushMessage } from './push-message';
import { PushNoticesRepository, type DueNotice } from './push-notices.repository';
import { PushSubscriptionsRepository } from './push-subscriptions.repository';
import { PushTargetCipher, type PushTarget } from './push-target-cipher';
import { VapidSigner } from './vapid-signer';

/** Waits after each failed attempt. There is one attempt more. */
const RETRY_DELAYS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE];
/** The browser no longer has the subscription (RFC 8030 §7.3). */
const GONE_STATUSES = [404, 410];

type Outcome = 'sent' | 'retried' | 'gone' | 'dropped';

/** Sends one message to a push service (RFC 8030), encrypted to the browser (RFC 8291). */
@Injectable()
export class PushSender {
  private readonly logger = new Logger('Push');
  private readonly messages: Counter;

  constructor(
    private readonly config: Config,
    private readonly notices: PushNoticesRepository,
    private readonly subscriptions: PushSubscriptionsRepository,
    private readonly pushTargetCipher: PushTargetCipher,
    private readonly vapidSigner: VapidSigner,
    private readonly webhookSender: WebhookSender,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    this.messages = new Counter({
      name: 'push_messages_total',
      help: 'Attempts to send a message to a browser, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /** Makes one attempt, and stores how it ended. */
  async sendNotice(notice: DueNotice): Promise<void> {
    this.messages.inc({ outcome: await this.attemptNotice(notice) });
  }

  private async attemptNotice(notice: DueNotice): Promise<Outcome> {
    const { push } = this.config;
    const target = this.pushTargetCipher.decryptTarget(notice.target, notice.subscription_id);
    // The operator has changed a setting since the browser subscribed. It subscribes again when its console is open.
    if (!push || !target || !isAllowedPushHost(target.endpoint, push.allowHosts))
      return this.deleteSubscription(notice);
    const now = this.clock.now();
    if (notice.expires_at.getTime() <= now) return this.endNotice(notice, 'dropped');
    const exchange = await this.webhookSender.sendPost(await this.buildRequest(push, target, notice, now));
    if (isSuccessfulExchange(exchange)) return this.endNotice(notice, 'sent');
    if (GONE_STATUSES.includes(exchange.status ?? 0)) return this.deleteSubscription(notice);
    return this.retryNotice(notice, exchange, new URL(target.endpoint).host);
  }

  private async buildRequest(push: PushConfig, target: PushTarget, notice: DueNotice, now: number) {
    const { event, session_id: sessionId, record_id: id, expires_at: expiresAt } = notice;
    return {
      url: target.endpoint,
      headers: {
        authorization: await this.vapidSigner.buildAuthorization(push, target.endpoint),
        'content-encoding': 'aes128gcm',
        'content-type': 'application/octet-stream',
        ttl: String(Math.ceil((expiresAt.getTime() - now) / SECOND)),
        urgency: event === 'permission.requested' ? 'high' : 'normal',
        // A later message of the session replaces one that the browser has not got yet (RFC 8030 §5.4).
        topic: createHash('sha256').update(sessionId).digest('base64url').slice(0, 32),
      },
      body: encryptPushMessage(JSON.stringify({ type: event, sessionId, id }), target),
    };
  }

  private async retryNotice(notice: DueNotice, exchange: WebhookExchange, host: string): Promise<Outcome> {
    const { status, error, retryAfter } = exchange;
    const isTemporary = status === null || status === 429 || status >= 500;
    const delayMs = RETRY_DELAYS_MS[notice.attempts - 1];
    const now = this.clock.now();
    if (isTemporary && delayMs !== undefined && error !== 'address_refused') {
      const dueAt = now + Math.max(delayMs, parseRetryAfterMs(retryAfter, now));
      if (dueAt < notice.expires_at.getTime()) {
        await this.notices.endAttempt(notice, new Date(dueAt));
        return 'retried';
      }
    }
    this.logger.warn({ host, status, error, accountId: notice.account_id }, 'push message dropped');
    return this.endNotice(notice, 'dropped');
  }

  private async endNotice(notice: DueNotice, outcome: Outcome): Promise<Outcome> {
    await this.notices.endAttempt(notice, null);
    return outcome;
  }

  private async deleteSubscription({ account_id, subscription_id }: DueNotice): Promise<Outcome> {
    await this.subscriptions.delete(account_id, subscription_id);
    return 'gone';
  }
}
