import { Injectable } from '@nestjs/common';
import type { TokenPrincipal } from '../auth';

/** Port: which of these sessions may this caller read the content of now? Key grants, above, will answer it. */
export abstract class ContentAccess {
  abstract readableSessions(
    caller: TokenPrincipal,
    sessionIds: readonly string[],
  ): Promise<ReadonlySet<string>>;
}

/** Without key grants nobody reads content. */
@Injectable()
export class NoContentAccess extends ContentAccess {
  readableSessions(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set());
  }
}
