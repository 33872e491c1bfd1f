import { PendingCallLimiter } from './relay-bus';

describe('PendingCallLimiter', () => {
  it('takes 1,000 calls of an account, whatever the others have', () => {
    const calls = new PendingCallLimiter();
    calls.acquireSlot('other');
    for (let n = 0; n < 1_000; n++) expect(calls.acquireSlot('ada')).toBeNull();
    expect(calls.acquireSlot('ada')).toBe('key');
    expect(calls.acquireSlot('other')).toBeNull();
    calls.releaseSlot('ada');
    expect(calls.acquireSlot('ada')).toBeNull();
  });

  it('takes 20,000 calls in all', () => {
    const calls = new PendingCallLimiter();
    for (let n = 0; n < 20_000; n++) expect(calls.acquireSlot(`account-${n % 40}`)).toBeNull();
    expect(calls.acquireSlot('another')).toBe('total');
    calls.releaseSlot('account-0');
    expect(calls.acquireSlot('another')).toBeNull();
    expect(calls.size).toBe(20_000);
  });

  it('forgets accounts that wait for nothing', () => {
    const calls = new PendingCallLimiter();
    for (let n = 0; n < 3; n++) {
      calls.acquireSlot('ada');
      calls.releaseSlot('ada');
    }
    expect(calls.size).toBe(0);
  });
});
