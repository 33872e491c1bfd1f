import { PendingCalls } from './pending-calls';

describe('PendingCalls', () => {
  it('takes 1,000 calls of an account, whatever the others have', () => {
    const calls = new PendingCalls();
    calls.begin('other');
    for (let n = 0; n < 1_000; n++) expect(calls.begin('ada')).toBe(true);
    expect(calls.begin('ada')).toBe(false);
    expect(calls.begin('other')).toBe(true);
    calls.end('ada');
    expect(calls.begin('ada')).toBe(true);
  });

  it('takes 20,000 calls in all', () => {
    const calls = new PendingCalls();
    for (let n = 0; n < 20_000; n++) expect(calls.begin(`account-${n % 40}`)).toBe(true);
    expect(calls.begin('another')).toBe(false);
    calls.end('account-0');
    expect(calls.begin('another')).toBe(true);
    expect(calls.size).toBe(20_000);
  });

  it('forgets accounts that wait for nothing', () => {
    const calls = new PendingCalls();
    for (let n = 0; n < 3; n++) {
      calls.begin('ada');
      calls.end('ada');
    }
    expect(calls.size).toBe(0);
  });
});
