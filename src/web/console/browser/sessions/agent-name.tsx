import type { SessionRecord } from '../content/records';
import { showInvisibleCharacters } from '../lib/visible-text';

/** Agent of a session, with its mode. */
export function AgentName({ agent }: Pick<SessionRecord, 'agent'>) {
  if (!agent) return <>–</>;
  return (
    <>
      {showInvisibleCharacters(agent.title)}
      {agent.mode !== null && <small>{showInvisibleCharacters(agent.mode)}</small>}
    </>
  );
}
