import type { ContentCaller } from '../sessions';

/** Port that decides whose content a caller may read now. The key-grants module implements it. */
export abstract class ArtifactContentPolicy {
  abstract findReadableArtifactIds(caller: ContentCaller, artifactIds: readonly string[]): Promise<ReadonlySet<string>>;
}
