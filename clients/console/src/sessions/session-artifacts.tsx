import { useEffect, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../artifacts/artifact-files';
import { RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import { CoalescedRefresh } from '../content/coalesced-refresh';
import type { ArtifactMetadata } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';

/** Artifacts that messages can link to. Earlier ones are on their page. */
const MAX_ARTIFACTS = 200;
const SHOWN_ARTIFACTS = 8;

/**
 * Loads the newest artifacts of a session.
 * @param changeCount grows with each event of a turn, whose files are stored before its end
 */
export function useSessionArtifacts(api: AccountApi, sessionId: string, changeCount: number): ArtifactMetadata[] {
  const [artifacts, setArtifacts] = useState<ArtifactMetadata[]>([]);
  const refresh = useRef<CoalescedRefresh>(null);
  useEffect(() => {
    const readArtifacts = async () => {
      const page = await api.getPage<ArtifactMetadata>('/v1/control/artifacts', { sessionId, limit: MAX_ARTIFACTS });
      setArtifacts(page.data);
    };
    // The page is complete without them.
    refresh.current = new CoalescedRefresh(readArtifacts, () => undefined);
    refresh.current.scheduleRefresh(0);
    return () => refresh.current?.stop();
  }, [sessionId]);
  useEffect(() => {
    if (changeCount > 0) refresh.current?.scheduleRefresh();
  }, [changeCount]);
  return artifacts;
}

/** Newest artifacts of a session, for its side panel. */
export function SessionArtifacts({ sessionId, artifacts }: { sessionId: string; artifacts: ArtifactMetadata[] }) {
  return (
    <section aria-labelledby="session-artifacts">
      <h2 id="session-artifacts">Artifacts</h2>
      {artifacts.length === 0 && <p class="none">Changes and files of the agent appear here.</p>}
      <ul class="session-artifacts">
        {artifacts.slice(0, SHOWN_ARTIFACTS).map(({ id, tag, sizeBytes, updatedAt }) => (
          <li key={id}>
            <a href={`/console/artifacts/${id}`}>
              <bdi>{describeTag(tag)}</bdi>
            </a>
            <small>
              {formatBytes(sizeBytes)} · <RelativeTime at={updatedAt} />
            </small>
          </li>
        ))}
      </ul>
      {artifacts.length > 0 && <a href={`/console/artifacts?session=${sessionId}`}>All artifacts of this session</a>}
    </section>
  );
}

/** Names what devices store by themselves (docs/protocol/device-api.md#reference-device). */
function describeTag(tag: string): string {
  const name = tag.split('/').at(-1)!;
  return /^turn_\w+\.patch$/.test(name) ? 'Changes of a turn' : showInvisibleCharacters(name);
}
