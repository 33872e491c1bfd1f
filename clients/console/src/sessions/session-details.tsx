import { useEffect, useState } from 'preact/hooks';
import { ConfirmButton } from '../components/confirm-button';
import { CopyableId, Problem, RelativeTime } from '../components/elements';
import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { MachineRecord, SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';
import { AgentOptions } from './agent-options';
import { formatContext } from './turn-words';

/** Facts of a session, what its agent offers to choose, and the button that ends it. */
export function SessionDetails({ session, api }: { session: SessionRecord; api: AccountApi }) {
  const { id, agent, machineId, messageCount, context, createdAt, lastActiveAt } = session;
  return (
    <section aria-labelledby="session-details">
      <h2 id="session-details">Details</h2>
      <dl class="facts">
        {agent && (
          <>
            <dt>Agent</dt>
            <dd>
              <bdi>{showInvisibleCharacters(agent.title)}</bdi>
              {agent.mode !== null && <small>{showInvisibleCharacters(`mode ${agent.mode}`)}</small>}
            </dd>
          </>
        )}
        {machineId && (
          <>
            <dt>Machine</dt>
            <dd>
              <MachineLink api={api} machineId={machineId} />
            </dd>
          </>
        )}
        {context && (
          <>
            <dt>Context</dt>
            <dd>{formatContext(context)}</dd>
          </>
        )}
        <dt>Messages</dt>
        <dd>{messageCount.toLocaleString()}</dd>
        <dt>Started</dt>
        <dd>
          <RelativeTime at={createdAt} />
        </dd>
        <dt>Active</dt>
        <dd>
          <RelativeTime at={lastActiveAt} />
        </dd>
        <dt>ID</dt>
        <dd>
          <CopyableId id={id} />
        </dd>
      </dl>
      {session.state === 'active' && agent && <AgentOptions api={api} sessionId={id} />}
    </section>
  );
}

export function EndSession({ sessionId, api }: { sessionId: string; api: AccountApi }) {
  const [problem, setProblem] = useState('');
  const endSession = async () => {
    setProblem('');
    const ending = api.post(`/v1/control/sessions/${sessionId}/end`, {}, crypto.randomUUID());
    await ending.catch((error: unknown) => setProblem(formatProblem(error)));
  };
  return (
    <>
      <Problem text={problem} />
      <ConfirmButton label="End session" onConfirm={endSession}>
        The agent stops, and the session accepts no more messages. Its history stays.
      </ConfirmButton>
    </>
  );
}

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
