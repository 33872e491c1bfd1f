import { Injectable } from '@nestjs/common';
import { RegisteredApps } from '../../developer-apps';
import { ExternalTokensService } from '../../external-tokens';
import type { WebhookRecord } from '../../webhooks';

/** Names by the ids of tokens and the client ids of apps. */
export type Names = ReadonlyMap<string, string>;

/** What made webhooks is called: one question for the tokens of a page, and one for its apps. */
@Injectable()
export class CreatorNames {
  constructor(
    private readonly tokens: ExternalTokensService,
    private readonly apps: RegisteredApps,
  ) {}

  async of(accountId: string, webhooks: readonly WebhookRecord[]): Promise<Names> {
    const [tokens, apps] = await Promise.all([
      this.tokens.namesOf(accountId, idsIn(webhooks, 'tokenId')),
      this.apps.namesOf(idsIn(webhooks, 'appId')),
    ]);
    return new Map([...tokens, ...apps]);
  }
}

function idsIn(webhooks: readonly WebhookRecord[], field: 'tokenId' | 'appId'): string[] {
  const ids = webhooks.map(({ createdBy }) => createdBy[field]);
  return [...new Set(ids.filter((id) => id !== null))];
}
