import { Injectable } from '@nestjs/common';
import { AppAuthorizationsService } from '../../developer-apps';
import type { EventRecipient } from '../../event-access';
import type { EndpointRow } from './pending-deliveries.repository';

/** Resolves the owner of an endpoint with the owner's current scopes. */
@Injectable()
export class SubscriptionAccessResolver {
  constructor(private readonly authorizations: AppAuthorizationsService) {}

  /**
   * Returns the current scopes of an app's authorization, or null without one. A token's scopes are those at
   * subscription.
   */
  async resolveOwner(
    endpoint: Pick<EndpointRow, 'account_id' | 'token_id' | 'app_id' | 'scopes'>,
  ): Promise<EventRecipient | null> {
    const { account_id: accountId, token_id: tokenId, app_id: appId } = endpoint;
    if (appId === null) return { accountId, tokenId, appId, scopes: endpoint.scopes };
    const authorization = await this.authorizations.findActiveAuthorization(accountId, appId);
    return authorization && { accountId, tokenId, appId, scopes: authorization.scopes };
  }
}
