import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { EventRecipient } from '../../event-access';
import { SigningSecretCipher } from '../subscriptions/signing-secret-cipher';
import type { EndpointLease } from './endpoint-queues.repository';
import { PendingDeliveriesRepository, type EndpointRow } from './pending-deliveries.repository';
import { SubscriptionAccessResolver } from './subscription-access-resolver';

/** Current settings of an endpoint. */
export interface WebhookEndpoint {
  url: string;
  isActive: boolean;
  /** Null when the owner may not receive events anymore. */
  owner: EventRecipient | null;
  /** Keys that sign the requests. Empty when no configured secret decrypts them. */
  signingKeys: KeyObject[];
}

@Injectable()
export class EndpointReader {
  constructor(
    private readonly pendingDeliveries: PendingDeliveriesRepository,
    private readonly subscriptionAccessResolver: SubscriptionAccessResolver,
    private readonly signingSecretCipher: SigningSecretCipher,
    private readonly clock: Clock,
  ) {}

  /** Returns null when the lease was lost or the webhook was deleted. */
  async readEndpoint(endpointLease: EndpointLease): Promise<WebhookEndpoint | null> {
    const row = await this.pendingDeliveries.findLeasedEndpoint(endpointLease);
    if (!row) return null;
    const owner = await this.subscriptionAccessResolver.resolveOwner(row);
    return { url: row.url, isActive: row.state === 'active', owner, signingKeys: this.getSigningKeys(row) };
  }

  private getSigningKeys(row: EndpointRow): KeyObject[] {
    const isOverlapping = row.old_secret_ends_at && row.old_secret_ends_at.getTime() > this.clock.now();
    const encryptedKeys = isOverlapping ? [row.secret, row.old_secret!] : [row.secret];
    const decryptedKeys = encryptedKeys
      .map((each) => this.signingSecretCipher.decryptKey(each, row.id))
      .filter((key) => key !== null);
    return decryptedKeys.map((key) => createSecretKey(key));
  }
}
