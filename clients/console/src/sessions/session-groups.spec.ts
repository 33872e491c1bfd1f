import type { ListedSession } from './listed-session';
import { createSessionFilter, groupSessions, type SessionChoice } from './session-groups';

const AGENT = { title: 'OpenCode' } as ListedSession['agent'];
const session = (id: string, changes: Partial<ListedSession>): ListedSession =>
  ({
    id,
    title: id,
    tag: id,
    state: 'active',
    activity: 'idle',
    agent: AGENT,
    machineId: null,
    ...changes,
  }) as ListedSession;

const SESSIONS = [
  session('old', { lastActiveAt: 1 }),
  session('echo', { lastActiveAt: 9, agent: null, machineId: 'mch_1' }),
  session('ended', { lastActiveAt: 8, state: 'ended', activity: 'requires_action' }),
  session('works', { lastActiveAt: 2, activity: 'running', machineId: 'mch_1' }),
  session('new', { lastActiveAt: 5 }),
  session('asks', { lastActiveAt: 3, activity: 'requires_action' }),
];

describe('the groups of sessions', () => {
  it('begin with what needs the user, and sessions without an agent come last in theirs', () => {
    const ids = groupSessions(SESSIONS).map(([group, found]) => [group, ...found.map(({ id }) => id)]);
    expect(ids).toEqual([
      ['needsYou', 'asks'],
      ['running', 'works'],
      ['idle', 'new', 'old', 'echo'],
      ['ended', 'ended'],
    ]);
  });

  it.each<[Partial<SessionChoice>, string[]]>([
    [{ machineId: 'mch_1' }, ['echo', 'works']],
    [{ agent: 'OpenCode', group: 'idle' }, ['old', 'new']],
    [{ group: 'needsYou' }, ['asks']],
    [{ search: 'BOX e' }, ['echo', 'works']],
    [{ search: 'nothing' }, []],
  ])('can be narrowed by %j', (choice, ids) => {
    const filter = createSessionFilter(
      { search: '', machineId: '', agent: '', group: '', ...choice },
      new Map([['mch_1', 'build box']]),
    );
    expect(SESSIONS.filter(filter).map(({ id }) => id)).toEqual(ids);
  });
});
