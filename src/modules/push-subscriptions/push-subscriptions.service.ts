import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { DevicePrincipal } from '../../access/auth';
import { Clock } from '../../common/clock';
import {
  ApiError,
  bodyViolation,
  invalidRequestError,
  notFoundError,
  planLimitExceededError,
} from '../../common/errors';
import { generateId } from '../../common/ids';
import { mapPage, type PageQueryDto } from '../../common/pages';
import { Config } from '../../core/config';
import { UnitOfWork } from '../../core/database';
import { AccountExporter, AccountRevocationRegistry, AccountsService } from '../accounts';
import { DevicesService, DeviceTokenService } from '../devices';
import { TargetUrlValidator } from '../webhook-sending';
import { isAllowedPushHost } from './push-host-policy';
import { isPublicKey } from './push-message';
import { PUSH_EVENTS } from './push-subscription.entity';
import {
  toPushSubscriptionDto,
  type PushSubscriptionDto,
  type PushSubscriptionPageDto,
} from './push-subscription.response.dto';
import type { CreatePushSubscriptionDto } from './push-subscriptions.dto';
import { PushSubscriptionsRepository } from './push-subscriptions.repository';
import { PushTargetCipher } from './push-target-cipher';

/** Limit for one account. */
const MAX_PUSH_SUBSCRIPTIONS = 50;

/** Stores which browsers of an account get notifications (docs/protocol/push.md). */
@Injectable()
export class PushSubscriptionsService implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly unitOfWork: UnitOfWork,
    private readonly subscriptions: PushSubscriptionsRepository,
    private readonly pushTargetCipher: PushTargetCipher,
    private readonly targetUrlValidator: TargetUrlValidator,
    private readonly accounts: AccountsService,
    private readonly devices: DevicesService,
    private readonly deviceTokens: DeviceTokenService,
    private readonly accountExporter: AccountExporter,
    private readonly accountRevocations: AccountRevocationRegistry,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'pushSubscriptions',
      scanRows: (accountId) => this.subscriptions.scanByAccount(accountId),
      toRecord: toPushSubscriptionDto,
    });
    this.accountRevocations.registerRevocationStep((accountId) => this.subscriptions.deleteByAccount(accountId));
    this.devices.onRevocation((deviceId) => this.subscriptions.deleteByDevice(deviceId));
    this.deviceTokens.onSignOut((accountId, deviceId) =>
      deviceId === null ? this.subscriptions.deleteByAccount(accountId) : this.subscriptions.deleteByDevice(deviceId),
    );
  }

  /**
   * Subscribes the calling browser. Replaces its subscription.
   * @throws ApiError 400 for an endpoint or a key that can't be used, 403 `plan_limit_exceeded`, 409 `conflict` where
   *   the operator has not turned notifications on
   */
  async createSubscription(
    { accountId, deviceId, tokenHash }: DevicePrincipal,
    { endpoint, p256dh, auth, events = [...PUSH_EVENTS] }: CreatePushSubscriptionDto,
  ): Promise<PushSubscriptionDto> {
    const { push } = this.config;
    if (!push) throw new ApiError('conflict', 'The operator of this service has not turned notifications on.');
    await this.requireValidTarget(endpoint, p256dh, push.allowHosts);
    return this.unitOfWork.runInTransaction(async () => {
      // Revocations and sign-outs lock the account as well, so that the browser can't subscribe afterwards.
      await this.accounts.lockAccount(accountId);
      await this.deviceTokens.requireToken(tokenHash);
      if ((await this.subscriptions.countOfOthers(accountId, deviceId)) >= MAX_PUSH_SUBSCRIPTIONS) {
        const detail = `An account has at most ${MAX_PUSH_SUBSCRIPTIONS} browsers with notifications.`;
        throw planLimitExceededError(detail, MAX_PUSH_SUBSCRIPTIONS);
      }
      const id = generateId('push');
      const createdAt = this.clock.currentDate();
      await this.subscriptions.replace({
        id,
        accountId,
        deviceId,
        endpointHash: createHash('sha256').update(endpoint).digest(),
        target: this.pushTargetCipher.encryptTarget({ endpoint, p256dh, auth }, id),
        events,
        serverKey: push.publicKey,
        createdAt,
      });
      return { id, object: 'push_subscription', deviceId, events, createdAt: createdAt.getTime() };
    });
  }

  async listSubscriptions(accountId: string, query: PageQueryDto): Promise<PushSubscriptionPageDto> {
    const applicationServerKey = this.config.push?.publicKey ?? null;
    const page = await this.subscriptions.findPage(accountId, applicationServerKey, query);
    return { ...mapPage(page, toPushSubscriptionDto), applicationServerKey };
  }

  /** @throws ApiError 404 */
  async deleteSubscription(accountId: string, id: string): Promise<void> {
    if (!(await this.subscriptions.delete(accountId, id))) throw notFoundError('push subscription');
  }

  private async requireValidTarget(endpoint: string, p256dh: string, allowHosts: readonly string[]): Promise<void> {
    const violation =
      (await this.targetUrlValidator.findViolation(endpoint)) ??
      (isAllowedPushHost(endpoint, allowHosts) ? null : 'must be at a push service that PUSH_ALLOW_HOSTS names');
    const violations = violation ? [bodyViolation('/endpoint', 'invalid_format', violation)] : [];
    if (!isPublicKey(p256dh)) violations.push(bodyViolation('/p256dh', 'invalid_format', 'must be a point on P-256'));
    if (violations.length > 0) throw invalidRequestError(violations);
  }
}
