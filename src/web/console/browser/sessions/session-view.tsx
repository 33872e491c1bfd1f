import { useEffect, useState } from 'preact/hooks';
import { SessionApprovals } from '../approvals/approval-page';
import { LiveStatus, Problem, RelativeTime } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { TurnRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { openSessionKey, type SharingProps } from '../sharing/key-grants';
import { WhoCanRead } from '../sharing/who-can-read';
import { AgentOptions } from './agent-options';
import { MessageComposer } from './message-composer';
import { MessageList } from './message-list';
import { SessionHead } from './session-head';
import { useSession } from './session-state';
import { describeOpenTurn } from './turn-words';

interface SessionViewProps {
  api: AccountApi;
  keys: AccountKeys | null;
  accountId: string;
  sessionId: string;
  sharing: SharingProps;
}

/** One session: its messages as they come, its running turn, and a box to send a message. */
export function SessionView({ api, keys, accountId, sessionId, sharing }: SessionViewProps) {
  const state = useSession(api, keys, sessionId);
  const { session, title, opener, openTurns, streamState, problem, isLoading, changeCount } = state;
  useEffect(() => {
    if (title) document.title = `${showInvisibleCharacters(title)} · External API`;
  }, [title]);
  if (!session) return problem ? <Problem text={problem} /> : <p aria-busy="true">Loading …</p>;
  return (
    <>
      <SessionHead session={session} state={state} api={api} />
      <div class="session-status">
        {openTurns.map((turn) => (
          <OpenTurn key={turn.id} turn={turn} api={api} />
        ))}
        <LiveStatus state={streamState} />
      </div>
      <Problem text={problem} />
      {keys && !opener && !isLoading && (
        <p class="notice problem">
          The key of this session doesn’t belong to your account, so nothing can be decrypted.
        </p>
      )}
      <MessageList state={state} />
      <SessionApprovals api={api} opener={opener} session={session} changeCount={changeCount} />
      {session.state === 'active' && opener && (
        <MessageComposer
          api={api}
          sessionId={sessionId}
          opener={opener}
          isBusy={openTurns.some(({ origin }) => origin === 'message')}
        />
      )}
      {session.state === 'active' && session.agent && <AgentOptions api={api} sessionId={sessionId} />}
      {session.state === 'ended' && <p class="none">This session has ended. It accepts no messages.</p>}
      <p>
        <a href={`/console/artifacts?session=${sessionId}`}>Artifacts of this session</a>
      </p>
      <WhoCanRead
        api={api}
        accountId={accountId}
        resource={{ object: 'session', id: sessionId }}
        openKey={opener && keys && (() => openSessionKey(api, keys, session))}
        sharing={sharing}
      />
    </>
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
