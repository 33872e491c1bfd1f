import type { AccountApi } from '../content/account-api';
import type { SessionRecord } from '../content/records';
import { readRecentSessions } from './recent-sessions';

const NOW = 1_790_000_000_000;
const DAY_MS = 86_400_000;

describe('the recent sessions', () => {
  let requests: object[];

  /** Lists like the service: newest first by creation, filtered by the last update. */
  const createApi = (sessions: SessionRecord[]): AccountApi => {
    const list = (_path: string, parameters: { updatedSince?: number }) => {
      requests.push(parameters);
      const { updatedSince = 0 } = parameters;
      return sessions
        .filter(({ lastActiveAt }) => lastActiveAt >= updatedSince)
        .sort((a, b) => b.createdAt - a.createdAt);
    };
    const api: Partial<AccountApi> = {
      getAll: (<T>(path: string, parameters: object) =>
        Promise.resolve(list(path, parameters) as T[])) as AccountApi['getAll'],
      getPage: (<T>(path: string, parameters: object) =>
        Promise.resolve({ data: list(path, parameters) as T[], nextCursor: null })) as AccountApi['getPage'],
    };
    return api as AccountApi;
  };
  const session = (name: string, createdDaysAgo: number, activeDaysAgo: number) =>
    ({
      id: name,
      createdAt: NOW - createdDaysAgo * DAY_MS,
      lastActiveAt: NOW - activeDaysAgo * DAY_MS,
    }) as SessionRecord;
  const read = async (...sessions: SessionRecord[]) =>
    (await readRecentSessions(createApi(sessions), 2, NOW)).map(({ id }) => id);

  beforeEach(() => (requests = []));

  it('are those with the latest activity, however old they are', async () => {
    const old = session('old', 400, 0.1);
    expect(await read(session('new', 0.5, 0.5), session('newer', 0.3, 0.3), old)).toEqual(['old', 'newer']);
    expect(requests).toHaveLength(1);
  });

  it('are looked for in a longer period, if few were active', async () => {
    const sessions = [session('today', 300, 0.5), session('this month', 200, 20), session('idle', 40, 40)];
    expect(await read(...sessions)).toEqual(['today', 'this month']);
    expect(requests).toHaveLength(2);
  });

  it('are the newest ones, if none was active', async () => {
    expect(await read(session('a', 90, 80), session('b', 60, 60), session('c', 70, 70))).toEqual(['b', 'c']);
    expect(await read()).toEqual([]);
  });
});
