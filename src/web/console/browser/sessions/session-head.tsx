import { useEffect, useRef, useState } from 'preact/hooks';
import { ConfirmButton } from '../components/confirm-button';
import { CopyableId, Problem, RelativeTime } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { MachineRecord, SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { RenameForm } from './rename-form';
import { SessionBadge } from './session-badge';
import { renameSession, UNTITLED } from './session-title';
import type { SessionState } from './session-state';
import { formatContext } from './turn-words';

interface SessionHeadProps {
  session: SessionRecord;
  state: Pick<SessionState, 'title' | 'opener' | 'refresh'>;
  api: AccountApi;
}

/** Title of a session, which can be changed, its facts, and the button that ends it. */
export function SessionHead({ session, state, api }: SessionHeadProps) {
  const { title, opener, refresh } = state;
  const [isRenaming, setRenaming] = useState(false);
  const [problem, setProblem] = useState('');
  const renameButton = useRef<HTMLButtonElement>(null);
  const { id } = session;
  const endSession = () => {
    setProblem('');
    api.post(`/v1/control/sessions/${id}/end`, {}, crypto.randomUUID()).catch((error: unknown) => {
      setProblem(formatProblem(error));
    });
  };
  const closeRenaming = () => {
    setRenaming(false);
    renameButton.current?.focus();
  };
  return (
    <>
      <div class="page-head">
        <div>
          <p class="eyebrow">
            <a href="/console/sessions">Sessions</a>
          </p>
          <div class="title-line">
            <h1>
              <bdi>{showInvisibleCharacters(title)}</bdi> <SessionBadge session={session} />
            </h1>
            {opener && (
              <button
                ref={renameButton}
                type="button"
                class="plain"
                aria-expanded={isRenaming}
                onClick={() => setRenaming(!isRenaming)}
              >
                Rename
              </button>
            )}
          </div>
          <SessionFacts session={session} api={api} />
        </div>
        {session.state === 'active' && (
          <ConfirmButton label="End session" onConfirm={endSession}>
            The agent stops, and the session accepts no more messages. Its history stays.
          </ConfirmButton>
        )}
      </div>
      {isRenaming && opener && (
        <RenameForm
          title={title === UNTITLED ? '' : title}
          rename={async (changed) => {
            await renameSession(api, opener, id, changed);
            refresh();
          }}
          onClose={closeRenaming}
        />
      )}
      <Problem text={problem} />
    </>
  );
}

function SessionFacts({ session, api }: { session: SessionRecord; api: AccountApi }) {
  const { id, agent, machineId, messageCount, context, lastActiveAt } = session;
  return (
    <p class="about">
      {agent && `${describeAgent(agent)} · `}
      {machineId && <MachineLink api={api} machineId={machineId} />}
      {machineId && ' · '}
      {context && `${formatContext(context)} · `}
      {`${messageCount.toLocaleString()} messages · active `}
      <RelativeTime at={lastActiveAt} />
      {' · '}
      <CopyableId id={id} />
    </p>
  );
}

const describeAgent = ({ title, mode }: NonNullable<SessionRecord['agent']>): string =>
  showInvisibleCharacters(mode === null ? title : `${title}, mode ${mode}`);

/** Link to the machine, whose name is shown when it arrives. */
function MachineLink({ api, machineId }: { api: AccountApi; machineId: string }) {
  const [name, setName] = useState('machine');
  useEffect(() => {
    api.getRecord<MachineRecord>(`/v1/control/machines/${machineId}`).then(
      (machine) => setName(showInvisibleCharacters(machine.name)),
      () => undefined,
    );
  }, [machineId]);
  return (
    <a href={`/console/machines/${machineId}`}>
      <bdi>{name}</bdi>
    </a>
  );
}
