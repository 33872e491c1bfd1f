import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatBytes } from '../artifacts/artifact-files';
import { ArtifactName } from '../artifacts/artifact-name';
import { ArtifactTitleReader } from '../artifacts/artifact-title-reader';
import { RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { CoalescedRefresh } from '../content/coalesced-refresh';
import type { ArtifactMetadata } from '../content/records';

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

interface SessionArtifactsProps {
  api: AccountApi;
  keys: AccountKeys | null;
  sessionId: string;
  artifacts: readonly ArtifactMetadata[];
}

/** Newest artifacts of a session, for its side panel. */
export function SessionArtifacts({ api, keys, sessionId, artifacts }: SessionArtifactsProps) {
  const titles = useMemo(() => new ArtifactTitleReader(api, keys), [api, keys]);
  return (
    <section aria-labelledby="session-artifacts">
      <h2 id="session-artifacts">Artifacts</h2>
      {artifacts.length === 0 && <p class="none">Changes and files of the agent appear here.</p>}
      <ul class="session-artifacts">
        {artifacts.slice(0, SHOWN_ARTIFACTS).map((artifact) => (
          <li key={artifact.id}>
            <a href={`/console/artifacts/${artifact.id}`}>
              <bdi>
                <ArtifactName artifact={artifact} titles={titles} />
              </bdi>
            </a>
            <small>
              {formatBytes(artifact.sizeBytes)} · <RelativeTime at={artifact.updatedAt} />
            </small>
          </li>
        ))}
      </ul>
      {artifacts.length > 0 && <a href={`/console/artifacts?session=${sessionId}`}>All artifacts of this session</a>}
    </section>
  );
}
