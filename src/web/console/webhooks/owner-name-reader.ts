import { Injectable } from '@nestjs/common';
import { RegisteredAppReader } from '../../../modules/developer-apps';
import { PersonalAccessTokensService } from '../../../modules/personal-access-tokens';
import type { WebhookDto } from '../../../modules/webhooks';

/** Names by the ids of tokens and the client ids of apps. */
export type OwnerNames = ReadonlyMap<string, string>;

/** Reads the names of the creators of webhooks with one query for tokens and one for apps. */
@Injectable()
export class OwnerNameReader {
  constructor(
    private readonly tokens: PersonalAccessTokensService,
    private readonly apps: RegisteredAppReader,
  ) {}

  async readNames(accountId: string, webhooks: readonly WebhookDto[]): Promise<OwnerNames> {
    const [tokens, apps] = await Promise.all([
      this.tokens.findTokenNames(accountId, collectOwnerIds(webhooks, 'tokenId')),
      this.apps.findAppNames(collectOwnerIds(webhooks, 'appId')),
    ]);
    return new Map([...tokens, ...apps]);
  }
}

function collectOwnerIds(webhooks: readonly WebhookDto[], field: 'tokenId' | 'appId'): string[] {
  const ids = webhooks.map(({ createdBy }) => createdBy[field]);
  return [...new Set(ids.filter((id) => id !== null))];
}
