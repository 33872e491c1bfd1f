import { Injectable } from '@nestjs/common';
import type { TokenPrincipal } from '../auth';

/** Port: which of these artifacts may this caller read the content of now? Key grants, above, will answer it. */
export abstract class ArtifactAccess {
  abstract readableArtifacts(
    caller: TokenPrincipal,
    artifactIds: readonly string[],
  ): Promise<ReadonlySet<string>>;
}

/** Without key grants nobody reads content. */
@Injectable()
export class NoArtifactAccess extends ArtifactAccess {
  readableArtifacts(): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set());
  }
}
