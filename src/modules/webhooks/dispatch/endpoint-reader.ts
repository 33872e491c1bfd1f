import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import type { EventRecipient } from '../../event-access';
import type { CustomHeaders } from '../subscriptions/custom-headers';
import { SigningSecretCipher } from '../subscriptions/signing-secret-cipher';
import type { WebhookFormat } from '../subscriptions/webhook.response.dto';
import type { EndpointLease } from './endpoint-queues.repository';
import { PendingDeliveriesRepository, type EndpointRow } from './pending-deliveries.repository';
import { SubscriptionAccessResolver } from './subscription-access-resolver';

/** Current settings of an endpoint. */
export interface WebhookEndpoint {
  url: string;
  isActive: boolean;
  /** Null when the owner may not receive events anymore. */
  owner: EventRecipient | null;
  format: WebhookFormat;
  /** Headers that the requests also have. */
  headers: CustomHeaders;
  /** Keys that sign the requests. Empty when no configured secret decrypts them or the headers. */
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
    const headers = this.signingSecretCipher.decryptHeaders(row.headers, row.id);
    const signingKeys = headers ? this.getSigningKeys(row) : [];
    const { url, state, format } = row;
    return { url, isActive: state === 'active', owner, format, headers: headers ?? {}, signingKeys };
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
