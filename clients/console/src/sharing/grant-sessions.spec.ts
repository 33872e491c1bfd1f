import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { SessionRecord } from '../content/records';
import { countFailures, countSessions, grantSessions, type SharingResults } from './grant-sessions';

describe('sharing several sessions', () => {
  const sessions = ['ses_1', 'ses_2'].map((id) => ({ id }) as SessionRecord);
  const share = async (deadline: number) => {
    const steps: SharingResults[] = [];
    const order = {
      api: {} as AccountApi,
      keys: { accountId: 'acc_1' } as AccountKeys,
      audience: 'x',
      granteeId: 'tok_1',
    };
    const results = await grantSessions({
      ...order,
      sessions,
      days: '7',
      deadline,
      onResult: (each) => steps.push(each),
    });
    return { results, steps };
  };

  it('goes on after a failure, and tells of each session', async () => {
    const { results, steps } = await share(Infinity);
    expect(steps.map(({ size }) => size)).toEqual([1, 2]);
    expect([...results.values()]).toEqual(
      Array(2).fill('The key of this session can’t be opened, so it wasn’t shared.'),
    );
    expect(countFailures(results)).toBe(2);
  });

  it('begins no grant after the deadline: the app could no longer exchange its code', async () => {
    const { results } = await share(Date.now() - 1);
    expect([...results.values()]).toEqual(Array(2).fill('There was no time left.'));
  });

  it('counts them', () => {
    expect([0, 1, 2].map(countSessions)).toEqual(['0 sessions', '1 session', '2 sessions']);
  });
});
