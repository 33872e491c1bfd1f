import type { SessionOption, SessionOptionsResult } from '@external-api/protocol/portable';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { MachineRecord, SessionRecord } from '../content/records';
import { explainCallError } from '../content/relayed-call';
import { findFileProblem } from '../content/sealed-message';
import { addLocalEntry, readLocalList, writeLocalList } from '../lib/local-lists';
import { MAX_TITLE_LENGTH } from '../sessions/session-title';
import { findObstacle } from './machine-words';
import { canSealMessages, SessionStarter } from './session-starter';
import { AgentFields, FolderField, MachineField } from './start-fields';

const UNKNOWN =
  'Nobody knows whether the session was started. Look for it in the list of sessions before you start it again.';
const MAX_FOLDERS = 20;
/** Sessions of a machine among which one of the agent is looked for. */
const MAX_SESSIONS = 50;

interface StartSessionProps {
  api: AccountApi;
  keys: AccountKeys | null;
  accountId: string;
  /** Left out where the page has one. */
  heading?: string;
  /** Machines to choose from, at least one. */
  machines: readonly MachineRecord[];
}

/** Form that starts a session of an agent, and then shows the session. */
export function StartSession({ api, keys, accountId, heading, machines }: StartSessionProps) {
  const starter = useRef(new SessionStarter(api, keys));
  const [machineId, setMachineId] = useState(machines[0]!.id);
  const [agentName, setAgentName] = useState('');
  const [isTouched, setTouched] = useState(false);
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState('');
  const machine = machines.find(({ id }) => id === machineId) ?? machines[0]!;
  const agent = machine.agents.find(({ name }) => name === agentName) ?? machine.agents[0];
  const offered = useOfferedOptions(api, accountId, machine, agent?.name, isTouched);
  const canSendFiles = canSealMessages(machine, keys) && machine.capabilities.includes('session.attachments');
  const obstacle =
    findObstacle(machine, 'session.start') ||
    (agent ? '' : 'The machine has no agent. Start its program with --agent, for example --agent "opencode acp".');

  const start = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const read = (name: string) => (fields.get(name) as string | null)?.trim() || undefined;
    // A field without a file has an empty one.
    const files = canSendFiles ? (fields.getAll('files') as File[]).filter(({ size, name }) => size > 0 || name) : [];
    const text = read('content');
    const fileProblem = files.length > 0 && !text ? 'Write a message for the files.' : findFileProblem(files);
    setProblem(fileProblem);
    if (fileProblem) return;
    setStarting(true);
    const chosen = (agent?.options ?? []).flatMap(({ id }) => {
      const value = read(`option:${id}`);
      return value === undefined ? [] : [[id, value]];
    });
    const cwd = read('cwd');
    const options = Object.fromEntries(chosen) as Record<string, string>;
    const session = { agent: agent?.name, cwd, mode: read('mode'), options, title: read('title'), text, files };
    try {
      const id = await starter.current.start(machine, session);
      if (cwd) addLocalEntry(accountId, `folders:${machine.id}`, cwd, MAX_FOLDERS);
      addLocalEntry(accountId, 'machines', machine.id, 1);
      location.assign(`/console/sessions/${encodeURIComponent(id)}`);
    } catch (error) {
      setProblem(explainCallError(error, UNKNOWN));
      setStarting(false);
    }
  };

  return (
    <section class="part card">
      {heading && <h2>{heading}</h2>}
      <form
        aria-label="Start a session"
        onFocusCapture={() => setTouched(true)}
        onSubmit={(event) => {
          event.preventDefault();
          void start(event.currentTarget);
        }}
      >
        <label>
          First message
          <textarea name="content" rows={4} maxLength={100_000} />
          <small>
            Optional. Without it, the session waits for a message.
            {canSealMessages(machine, keys) && ' It is encrypted in this browser.'}
          </small>
        </label>
        {canSendFiles && (
          <label>
            Files
            <input type="file" name="files" multiple />
          </label>
        )}
        <div class="columns">
          {machines.length > 1 && <MachineField machines={machines} value={machine.id} onChoose={setMachineId} />}
          <AgentFields machine={machine} agent={agent} offered={offered} onChoose={setAgentName} />
          <FolderField accountId={accountId} machineId={machine.id} />
          {keys && (
            <label>
              Name
              <input name="title" maxLength={MAX_TITLE_LENGTH} placeholder="The first line of the message" />
            </label>
          )}
        </div>
        <Problem text={problem} />
        <button disabled={isStarting || obstacle !== ''}>{isStarting ? 'Starting …' : 'Start session'}</button>
        {obstacle && <p class="hint">{obstacle}</p>}
      </form>
    </section>
  );
}

/**
 * What an agent offers to choose, with its values. A machine announces the options only, so this asks the agent in a
 * session that it has, and otherwise returns what it offered in this browser last.
 * @param isNeeded false until the user begins to choose: reading is a call of the machine
 */
function useOfferedOptions(
  api: AccountApi,
  accountId: string,
  machine: MachineRecord,
  agent: string | undefined,
  isNeeded: boolean,
): readonly SessionOption[] {
  const [offered, setOffered] = useState<readonly SessionOption[]>([]);
  useEffect(() => {
    if (agent === undefined) return;
    const name = `options:${machine.id}:${agent}`;
    setOffered(readLocalList<SessionOption>(accountId, name));
    if (!isNeeded || machine.state !== 'online' || !machine.capabilities.includes('session.options')) return;
    let isCurrent = true;
    readOffer(api, machine.id, agent).then(
      (options) => {
        if (options.length === 0) return;
        writeLocalList(accountId, name, options);
        if (isCurrent) setOffered(options);
      },
      // The fields then take text.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [machine.id, agent, isNeeded]);
  return offered;
}

async function readOffer(api: AccountApi, machineId: string, agent: string): Promise<readonly SessionOption[]> {
  const parameters = { machineId, state: 'active', limit: MAX_SESSIONS };
  const { data } = await api.getPage<SessionRecord>('/v1/sessions', parameters);
  const [latest] = data.filter((each) => each.agent?.name === agent).sort((a, b) => b.lastActiveAt - a.lastActiveAt);
  if (!latest) return [];
  return (await api.getResult<SessionOptionsResult>(`/v1/control/sessions/${latest.id}/options`)).options;
}
