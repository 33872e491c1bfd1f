import { useEffect, useMemo, useState } from 'preact/hooks';
import { Problem, RelativeTime } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import { SidePanel, useSidePanel } from '../components/side-panel';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { SessionRecord, TurnRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { ArtifactAddress } from '../rich-text/markdown';
import { openSessionKey, type SharingProps } from '../sharing/key-grants';
import { WhoCanRead } from '../sharing/who-can-read';
import { MessageComposer } from './message-composer';
import { MessageList } from './message-list';
import { OpenApprovals, useSessionApprovals } from './session-approvals';
import { SessionArtifacts, useSessionArtifacts } from './session-artifacts';
import { EndSession, SessionDetails } from './session-details';
import { SessionHead } from './session-head';
import { useSession, type SessionState } from './session-state';
import { describeOpenTurn } from './turn-words';

const PANEL_ID = 'session-panel';

interface SessionViewProps {
  api: AccountApi;
  keys: AccountKeys | null;
  accountId: string;
  sessionId: string;
  sharing: SharingProps;
}

/** One session: a conversation with its agent. */
export function SessionView(props: SessionViewProps) {
  const state = useSession(props.api, props.keys, props.sessionId);
  const { session, title, problem } = state;
  useEffect(() => {
    if (title) document.title = `${showInvisibleCharacters(title)} · External API`;
  }, [title]);
  if (!session) return problem ? <Problem text={problem} /> : <p aria-busy="true">Loading …</p>;
  return <Conversation {...props} state={state} session={session} />;
}

interface ConversationProps extends SessionViewProps {
  state: SessionState;
  session: SessionRecord;
}

/** Messages, what the agent does and asks, and a box to write to it. What else there is to know is in a panel. */
function Conversation({ api, keys, accountId, sessionId, sharing, state, session }: ConversationProps) {
  const { opener, openTurns, problem, isLoading, changeCount } = state;
  const [sentCount, setSentCount] = useState(0);
  const panel = useSidePanel();
  const approvals = useSessionApprovals({ api, opener, session, changeCount });
  const artifacts = useSessionArtifacts(api, sessionId, changeCount);
  const findAddress = useMemo(() => {
    const ids = new Map(artifacts.map(({ tag, id }) => [tag, id]));
    return (tag: string) => (ids.has(tag) ? `/console/artifacts/${ids.get(tag)}` : null);
  }, [artifacts]);
  return (
    <div class="conversation">
      <div class="conversation-main">
        <SessionHead
          session={session}
          state={state}
          api={api}
          isPanelOpen={panel.isOpen}
          panelId={PANEL_ID}
          onTogglePanel={() => panel.setOpen(!panel.isOpen)}
        />
        <Problem text={problem} />
        {keys && !opener && !isLoading && (
          <p class="notice problem">
            The key of this session doesn’t belong to your account, so nothing can be decrypted.
          </p>
        )}
        <ArtifactAddress.Provider value={findAddress}>
          <MessageList api={api} state={state} decided={approvals.decided} sentCount={sentCount}>
            <OpenApprovals api={api} approvals={approvals} />
          </MessageList>
        </ArtifactAddress.Provider>
        <div class="conversation-foot">
          {openTurns.map((turn) => (
            <OpenTurn key={turn.id} turn={turn} api={api} />
          ))}
          {session.state === 'active' && opener && (
            <MessageComposer
              api={api}
              sessionId={sessionId}
              opener={opener}
              isBusy={openTurns.some(({ origin }) => origin === 'message')}
              onSent={() => setSentCount((count) => count + 1)}
            />
          )}
          {session.state === 'ended' && <p class="none">This session has ended. It accepts no messages.</p>}
        </div>
      </div>
      <SidePanel id={PANEL_ID} label="Details of the session" panel={panel}>
        <SessionDetails session={session} api={api} />
        <SessionArtifacts api={api} keys={keys} sessionId={sessionId} artifacts={artifacts} />
        <WhoCanRead
          api={api}
          accountId={accountId}
          resource={{ object: 'session', id: sessionId }}
          openKey={opener && keys && (() => openSessionKey(api, keys, session))}
          sharing={sharing}
        />
        {session.state === 'active' && <EndSession sessionId={sessionId} api={api} />}
      </SidePanel>
    </div>
  );
}

/** A turn that has not ended: whether the agent works or waits, and how to stop it. */
function OpenTurn({ turn, api }: { turn: TurnRecord; api: AccountApi }) {
  const [progress, setProgress] = useState('');
  const { id, sessionId, state, createdAt, lastActivityAt } = turn;
  const cancel = () => {
    setProgress('Cancelling …');
    api
      .post(`/v1/control/sessions/${sessionId}/turns/${id}/cancel`, {}, crypto.randomUUID())
      .then(() => setProgress(''))
      .catch((error: unknown) => setProgress(formatProblem(error)));
  };
  return (
    <p class="open-turn">
      <span>{describeOpenTurn(turn, Date.now())}</span>
      <small>
        began <RelativeTime at={createdAt} />
        {state === 'running' && lastActivityAt !== null && (
          <>
            {' · last sign of life '}
            <RelativeTime at={lastActivityAt} />
          </>
        )}
      </small>
      <button type="button" class="secondary small" disabled={progress === 'Cancelling …'} onClick={cancel}>
        Cancel turn
      </button>
      <small role="status">{progress}</small>
    </p>
  );
}
