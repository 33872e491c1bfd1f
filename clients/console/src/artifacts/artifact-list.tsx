import { useEffect, useMemo, useState } from 'preact/hooks';
import { EmptyState, Table, type TableColumn } from '@external-api/pages';
import { LiveStatus, Problem, RelativeTime } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { followEvents, type StreamState } from '../content/follow-events';
import { usePagedRecords, type PagedRecords } from '../content/paged-records';
import type { ArtifactMetadata } from '../content/records';
import { shortenId, showInvisibleCharacters } from '../lib/visible-text';
import type { ListedSession } from '../sessions/listed-session';
import { useSessionPages } from '../sessions/session-pages';
import { formatBytes } from './artifact-files';
import { ArtifactName } from './artifact-name';
import { ArtifactTitleReader } from './artifact-title-reader';

const PAGE_SIZE = 100;
const EVENTS_PATH = '/v1/control/events?types=artifact.created,artifact.updated,artifact.deleted';

/** Artifacts with a filter by session, whose titles this browser decrypts. */
export function ArtifactList({ api, keys }: { api: AccountApi; keys: AccountKeys | null }) {
  const [sessionId, setSessionId] = useState(new URLSearchParams(location.search).get('session') ?? '');
  const { records: artifacts, hasMore, isLoading, problem, streamState, loadMore } = useArtifacts(api, sessionId);
  const { records: sessions } = useSessionPages(api, keys, 100);
  const titles = useMemo(() => new ArtifactTitleReader(api, keys), []);
  const isKnown = sessions.some(({ id }) => id === sessionId);
  return (
    <>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label class="session-filter">
          Session
          <select value={sessionId} onChange={(event) => setSessionId(event.currentTarget.value)}>
            <option value="">All sessions</option>
            {sessionId && !isKnown && <option value={sessionId}>{shortenId(sessionId)}</option>}
            {sessions.map(({ id, title }) => (
              <option key={id} value={id}>
                {showInvisibleCharacters(title)}
              </option>
            ))}
          </select>
        </label>
        <LiveStatus state={streamState} />
      </form>
      <Problem text={problem} />
      {artifacts.length > 0 && (
        <Table caption="Artifacts" columns={createColumns(sessions, titles)} rows={artifacts} getKey={({ id }) => id} />
      )}
      {artifacts.length === 0 && !isLoading && !problem && <NoArtifacts isFiltered={sessionId !== ''} />}
      <p class="more" aria-busy={isLoading}>
        {isLoading && 'Loading …'}
        {!isLoading && hasMore && (
          <button type="button" class="secondary" onClick={loadMore}>
            Load more
          </button>
        )}
      </p>
    </>
  );
}

const createColumns = (
  sessions: readonly ListedSession[],
  titles: ArtifactTitleReader,
): readonly TableColumn<ArtifactMetadata>[] => [
  {
    name: 'Artifact',
    cell: (artifact) => (
      <a href={`/console/artifacts/${artifact.id}`} title={artifact.tag}>
        <bdi>
          <ArtifactName artifact={artifact} titles={titles} />
        </bdi>
      </a>
    ),
  },
  {
    name: 'Type',
    cell: ({ mediaType }) => (
      <span class="mono media-type" title={mediaType}>
        {mediaType}
      </span>
    ),
  },
  { name: 'Session', cell: ({ sessionId }) => <SessionLink id={sessionId} sessions={sessions} /> },
  { name: 'Version', cell: ({ version }) => version.toLocaleString(), isNumber: true },
  { name: 'Size', cell: ({ sizeBytes }) => formatBytes(sizeBytes), isNumber: true },
  { name: 'Updated', cell: ({ updatedAt }) => <RelativeTime at={updatedAt} /> },
];

function SessionLink({ id, sessions }: { id: string | null; sessions: readonly ListedSession[] }) {
  if (id === null) return <span class="none">none</span>;
  const title = sessions.find((session) => session.id === id)?.title;
  return (
    <a href={`/console/sessions/${id}`}>
      <bdi>{title === undefined ? shortenId(id) : showInvisibleCharacters(title)}</bdi>
    </a>
  );
}

function NoArtifacts({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState heading={isFiltered ? 'No artifacts in this session' : 'No artifacts yet'}>
      <p>
        When a turn changes files in a Git work tree, its machine stores the changes here. Devices can store files, too.
      </p>
    </EmptyState>
  );
}

interface ArtifactCollection extends PagedRecords<ArtifactMetadata> {
  streamState: StreamState;
}

/**
 * Loads artifacts page by page, newest first, and keeps the loaded ones up to date.
 * @param sessionId empty for the artifacts of all sessions
 */
function useArtifacts(api: AccountApi, sessionId: string): ArtifactCollection {
  const [streamState, setStreamState] = useState<StreamState>('connecting');
  const paged = usePagedRecords<ArtifactMetadata>({
    key: sessionId,
    readPage: (cursor) => {
      const parameters = cursor ? { cursor } : { limit: PAGE_SIZE, sessionId: sessionId || undefined };
      return api.getPage('/v1/control/artifacts', parameters);
    },
    isNewer: (known, read) => known.version > read.version,
  });

  useEffect(() => {
    const closing = new AbortController();
    followEvents(
      api,
      EVENTS_PATH,
      {
        onEvent: ({ type, data: payload }) => {
          const { data } = payload as { data: ArtifactMetadata };
          if (type === 'artifact.deleted') paged.removeRecords(({ id }) => id === data.id);
          else if (!sessionId || data.sessionId === sessionId) paged.mergeRecords([data]);
        },
        onReset: paged.reload,
        onStateChange: setStreamState,
      },
      closing.signal,
    );
    return () => closing.abort();
  }, [sessionId]);

  return { ...paged, streamState };
}
