import type { SessionRecord } from '../content/records';
import type { ListedSession } from './listed-session';

/** What a session is to its user, the most urgent first. */
export const SESSION_GROUPS = { needsYou: 'Needs you', running: 'Running', idle: 'Idle', ended: 'Ended' };

export type SessionGroup = keyof typeof SESSION_GROUPS;

const ACTIVITY_GROUPS: Record<SessionRecord['activity'], SessionGroup> = {
  requires_action: 'needsYou',
  running: 'running',
  idle: 'idle',
};

export const getSessionGroup = ({ state, activity }: Pick<SessionRecord, 'state' | 'activity'>): SessionGroup =>
  state === 'ended' ? 'ended' : ACTIVITY_GROUPS[activity];

/** What the user wants to see of the sessions. Empty members stand for everything. */
export interface SessionChoice {
  search: string;
  machineId: string;
  /** Title of an agent. */
  agent: string;
  group: SessionGroup | '';
}

/** Returns whether a session is one that the user has chosen. */
export function createSessionFilter(
  { search, machineId, agent, group }: SessionChoice,
  machineNames: ReadonlyMap<string, string>,
): (session: ListedSession) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (session) => {
    if (machineId && session.machineId !== machineId) return false;
    if (agent && session.agent?.title !== agent) return false;
    if (group && getSessionGroup(session) !== group) return false;
    const machine = session.machineId ? (machineNames.get(session.machineId) ?? '') : '';
    const text = `${session.title} ${session.tag} ${session.agent?.title ?? ''} ${machine} ${session.id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

/** Returns the groups that have sessions. In each, those with an agent come first, and then the latest activity. */
export function groupSessions(sessions: readonly ListedSession[]): [group: SessionGroup, sessions: ListedSession[]][] {
  const sorted = [...sessions].sort(
    (a, b) => Number(a.agent === null) - Number(b.agent === null) || b.lastActiveAt - a.lastActiveAt,
  );
  return (Object.keys(SESSION_GROUPS) as SessionGroup[])
    .map((group): [SessionGroup, ListedSession[]] => [group, sorted.filter((each) => getSessionGroup(each) === group)])
    .filter(([, found]) => found.length > 0);
}
