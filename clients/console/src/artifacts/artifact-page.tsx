import { useEffect, useState } from 'preact/hooks';
import type { Content, DataKey } from '@external-api/protocol/portable';
import { CopyableId, Problem, RelativeTime } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import { decodeText, openArtifact, openDataKey } from '../content/content-opener';
import type { ArtifactRecord, SessionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';
import { shortenId, showInvisibleCharacters } from '../lib/visible-text';
import type { SharingProps } from '../sharing/key-grants';
import { WhoCanRead } from '../sharing/who-can-read';
import { toListedSession, type ListedSession } from '../sessions/listed-session';
import { formatBytes } from './artifact-files';
import { ArtifactPreview } from './artifact-preview';
import { formatArtifactTitle, parseTurnTag } from './artifact-title';
import { TurnNumberReader } from './artifact-title-reader';

interface ArtifactPageProps {
  api: AccountApi;
  keys: AccountKeys | null;
  accountId: string;
  id: string;
  sharing: SharingProps;
}

interface OpenedArtifact {
  artifact: ArtifactRecord;
  /** Null if the artifact has none, or the session no longer exists. */
  session: ListedSession | null;
  dataKey: DataKey | null;
  content: Content | null;
  title: string;
}

const UNREADABLE =
  'This artifact can’t be decrypted: it was modified or moved, or encrypted with another key. Nothing of it is shown.';

/** Artifact with its facts, a preview of the decrypted content, and who can read it. */
export function ArtifactPage({ api, keys, accountId, id, sharing }: ArtifactPageProps) {
  const [opened, setOpened] = useState<OpenedArtifact | null>(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (opened) document.title = `${opened.title} · External API`;
  }, [opened]);
  useEffect(() => {
    readArtifact(api, keys, id).then(setOpened, (error: unknown) => {
      const isGone = error instanceof ServiceError && error.status === 404;
      setProblem(isGone ? 'This artifact doesn’t exist, or was deleted.' : formatProblem(error));
    });
  }, []);

  if (!opened) {
    return (
      <>
        <ArtifactHead heading="Artifact" />
        <Problem text={problem} />
        {!problem && <p aria-busy="true">Loading and decrypting …</p>}
      </>
    );
  }
  const { artifact, session, dataKey, content, title } = opened;
  return (
    <>
      <ArtifactHead heading={title} />
      <ArtifactFacts artifact={artifact} session={session} content={content} />
      {content && <ArtifactPreview content={content} tag={artifact.tag} />}
      {!content && keys && <Problem text={UNREADABLE} />}
      <WhoCanRead
        api={api}
        accountId={accountId}
        resource={{ object: 'artifact', id }}
        openKey={dataKey && (() => Promise.resolve(dataKey))}
        sharing={sharing}
      />
      {session?.dataKey.kid === artifact.dataKey.kid && (
        <p class="hint">
          It has the key of its <a href={`/console/sessions/${session.id}`}>session</a>: those with whom you share the
          session can read it, too.
        </p>
      )}
    </>
  );
}

async function readArtifact(api: AccountApi, keys: AccountKeys | null, id: string): Promise<OpenedArtifact> {
  const artifact = await api.getRecord<ArtifactRecord>(`/v1/artifacts/${id}`);
  const session = artifact.sessionId ? await readSession(api, keys, artifact.sessionId) : null;
  const turn = parseTurnTag(artifact.tag);
  const turnNumber =
    turn && artifact.sessionId
      ? await new TurnNumberReader(api).readTurnNumber(artifact.sessionId, turn.turnId).catch(() => null)
      : null;
  const formatTitle = (patch: string | null) => formatArtifactTitle(artifact.tag, turnNumber, patch);
  if (!keys) return { artifact, session, dataKey: null, content: null, title: formatTitle(null) };
  const dataKey = await openDataKey(keys, artifact.dataKey).catch(() => null);
  const content = dataKey && (await openArtifact(keys.accountId, dataKey, artifact).catch(() => null));
  // A key that doesn't open the content would be refused in a grant.
  const title = formatTitle(content && turn?.kind === 'patch' ? decodeText(content.bytes) : null);
  return { artifact, session, dataKey: content && dataKey, content, title };
}

/** The page is useful without the session's title. */
async function readSession(api: AccountApi, keys: AccountKeys | null, id: string): Promise<ListedSession | null> {
  try {
    return await toListedSession(await api.getRecord<SessionRecord>(`/v1/sessions/${id}`), keys);
  } catch {
    return null;
  }
}

function ArtifactHead({ heading }: { heading: string }) {
  return (
    <div class="page-head">
      <div>
        <p class="eyebrow">
          <a href="/console/artifacts">Artifacts</a>
        </p>
        <h1>
          <bdi>{heading}</bdi>
        </h1>
      </div>
    </div>
  );
}

type ArtifactFactsProps = Pick<OpenedArtifact, 'artifact' | 'session' | 'content'>;

function ArtifactFacts({ artifact, session, content }: ArtifactFactsProps) {
  const { id, tag, sessionId, mediaType, version, sizeBytes, updatedAt } = artifact;
  const size = content ? formatBytes(content.bytes.length) : `${formatBytes(sizeBytes)}, encrypted`;
  return (
    <dl class="facts">
      <dt>Type</dt>
      <dd class="mono">{showInvisibleCharacters(content?.mediaType ?? mediaType)}</dd>
      <dt>Size</dt>
      <dd>{size}</dd>
      <dt>Version</dt>
      <dd>
        {version.toLocaleString()}, <RelativeTime at={updatedAt} />
      </dd>
      <dt>Session</dt>
      <dd>
        {sessionId ? (
          <a href={`/console/sessions/${sessionId}`}>
            <bdi>{showInvisibleCharacters(session?.title ?? shortenId(sessionId))}</bdi>
          </a>
        ) : (
          <span class="none">none</span>
        )}
      </dd>
      <dt>Tag</dt>
      <dd class="mono">{showInvisibleCharacters(tag)}</dd>
      <dt>ID</dt>
      <dd>
        <CopyableId id={id} />
      </dd>
    </dl>
  );
}
