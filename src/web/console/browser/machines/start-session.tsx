import { useRef, useState } from 'preact/hooks';
import { Problem } from '../components/elements';
import type { AccountApi } from '../content/account-api';
import type { MachineRecord } from '../content/records';
import { explainCallError, RepeatableCall } from '../content/relayed-call';
import { findObstacle } from './machine-words';
import { showInvisibleCharacters } from '../lib/visible-text';

const UNKNOWN =
  'Nobody knows whether the session was started. Look for it in the list below before you start it again.';

/** Options that a session can begin with, by their categories. */
const CHOICES: Record<string, string> = { model: 'Model', thought_level: 'Effort' };

/** Form that starts a session of an agent, and then shows the session. */
export function StartSession({ api, machine }: { api: AccountApi; machine: MachineRecord }) {
  const { agents } = machine;
  const call = useRef(new RepeatableCall());
  const [agentName, setAgentName] = useState('');
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState('');
  const agent = agents.find(({ name }) => name === agentName) ?? agents[0];
  // Their values are known in a session only.
  const choices = agent?.options.filter(({ category }) => category !== null && category in CHOICES) ?? [];
  const obstacle =
    findObstacle(machine, 'session.start') ||
    (agent ? '' : 'The machine has no agent. Start its program with --agent, for example --agent "opencode acp".');

  const start = async (form: HTMLFormElement) => {
    setStarting(true);
    setProblem('');
    const fields = new FormData(form);
    const read = (name: string) => (fields.get(name) as string | null)?.trim() || undefined;
    const content = read('content');
    const options = choices.flatMap(({ id }) => {
      const value = read(`option:${id}`);
      return value === undefined ? [] : [[id, value]];
    });
    const body = {
      agent: agent?.name,
      cwd: read('cwd'),
      mode: read('mode'),
      ...(options.length > 0 && { options: Object.fromEntries(options) as Record<string, string> }),
      ...(content && { content, waitMs: 0 }),
    };
    try {
      const path = `/v1/control/machines/${machine.id}/sessions`;
      const { result } = await call.current.post<{ result: { sessionId: string } }>(api, path, body);
      location.assign(`/console/sessions/${encodeURIComponent(result.sessionId)}`);
    } catch (error) {
      setProblem(explainCallError(error, UNKNOWN));
      setStarting(false);
    }
  };

  return (
    <section class="part card">
      <h2>Start a session</h2>
      <form
        aria-label="Start a session"
        onSubmit={(event) => {
          event.preventDefault();
          void start(event.currentTarget);
        }}
      >
        <div class="columns">
          <label>
            Agent
            <select value={agent?.name} onChange={(event) => setAgentName(event.currentTarget.value)}>
              {agents.map(({ name, title }) => (
                <option key={name} value={name}>
                  {showInvisibleCharacters(title ?? name)}
                </option>
              ))}
            </select>
          </label>
          <label>
            Mode
            <select name="mode">
              <option value="">Default</option>
              {agent?.modes.map((mode) => (
                <option key={mode}>{mode}</option>
              ))}
            </select>
          </label>
          {choices.map(({ id, category }) => (
            <label key={`${agent?.name} ${id}`}>
              {CHOICES[category ?? '']}
              <input name={`option:${id}`} maxLength={128} placeholder="The agent’s default" autocomplete="on" />
            </label>
          ))}
          <label>
            Folder
            <input name="cwd" maxLength={4096} placeholder="The machine’s default" autocomplete="off" />
          </label>
        </div>
        <label>
          First message
          <textarea name="content" rows={3} maxLength={100_000} />
          <small>Optional. Without it, the session waits for a message.</small>
        </label>
        <Problem text={problem} />
        <button disabled={isStarting || obstacle !== ''}>{isStarting ? 'Starting …' : 'Start session'}</button>
        {obstacle && <p class="hint">{obstacle}</p>}
      </form>
    </section>
  );
}
