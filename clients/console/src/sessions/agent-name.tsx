import type { SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';

/** Agent of a session, with its mode. */
export function AgentName({ agent }: Pick<SessionRecord, 'agent'>) {
  if (!agent)
    return (
      <span class="none" title="Messages go to the program of the machine, or come back as an echo.">
        without an agent
      </span>
    );
  return (
    <>
      {showInvisibleCharacters(agent.title)}
      {agent.mode !== null && <small>{showInvisibleCharacters(agent.mode)}</small>}
    </>
  );
}
