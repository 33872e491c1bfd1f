import { Injectable } from '@nestjs/common';
import { Config } from '../../../core/config';
import { AuthorizedAppsService } from '../../../modules/developer-apps';
import { PersonalAccessTokensService } from '../../../modules/personal-access-tokens';

/** More are not offered: a form lists them in one field. */
const MAX_TARGETS = 200;

/** Token or app that a key can be granted to. */
interface ShareTarget {
  id: string;
  name: string;
  scopes: readonly string[];
}

/** What a page needs to share content, besides keys (clients/console/src/sharing/key-grants.ts). */
export interface ShareTargets {
  /** Configured address of the host, to which a grant is bound. */
  audience: string;
  tokens: ShareTarget[];
  apps: ShareTarget[];
}

/** Reads the tokens and apps that a page offers to share content with, the newest first. */
@Injectable()
export class ShareTargetReader {
  constructor(
    private readonly tokens: PersonalAccessTokensService,
    private readonly apps: AuthorizedAppsService,
    private readonly config: Config,
  ) {}

  async readTargets(accountId: string): Promise<ShareTargets> {
    const [tokens, apps] = await Promise.all([
      this.tokens.listActiveTokens(accountId, MAX_TARGETS),
      this.apps.listAuthorizedApps(accountId, { limit: MAX_TARGETS }),
    ]);
    return {
      audience: this.config.publicUrl,
      tokens: tokens.map(({ id, name, scopes }) => ({ id, name, scopes })),
      apps: apps.data.map(({ clientId, name, scopes }) => ({ id: clientId, name, scopes })),
    };
  }
}
