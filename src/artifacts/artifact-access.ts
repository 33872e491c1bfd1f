import type { ContentCaller } from '../sessions';

/** Port: which of these artifacts may this caller read the content of now? Key grants, above, answer it. */
export abstract class ArtifactAccess {
  abstract readableArtifacts(caller: ContentCaller, artifactIds: readonly string[]): Promise<ReadonlySet<string>>;
}
