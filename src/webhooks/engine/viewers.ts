import { Injectable } from '@nestjs/common';
import { AppAuthorizations } from '../../developer-apps';
import type { Creator } from '../subscriptions/creator';
import type { EndpointRow } from './queue.repository';

/** On whose behalf an endpoint is told, with what that may see now. */
@Injectable()
export class Viewers {
  constructor(private readonly authorizations: AppAuthorizations) {}

  /** An app's scopes as its authorization stands, null when it has none; a token's as they were when it subscribed. */
  async viewerOf(endpoint: EndpointRow): Promise<Creator | null> {
    const { account_id: accountId, token_id: tokenId, app_id: appId } = endpoint;
    if (appId === null) return { accountId, tokenId, appId, scopes: endpoint.scopes };
    const standing = await this.authorizations.standing(accountId, appId);
    return standing && { accountId, tokenId, appId, scopes: standing.scopes };
  }
}
