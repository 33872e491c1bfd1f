import { TokenSource, type TokenRequest } from './token-source.ts';

describe('TokenSource', () => {
  function createSource(tokens: (string | Error)[]) {
    const requests: TokenRequest['reason'][] = [];
    const source = new TokenSource(async ({ reason }) => {
      requests.push(reason);
      await Promise.resolve();
      const token = tokens.shift()!;
      if (token instanceof Error) throw token;
      return token;
    });
    return { source, requests };
  }

  it('requests one token for calls at the same time', async () => {
    const { source, requests } = createSource(['a']);
    expect(await Promise.all([source.getToken(), source.getToken()])).toEqual(['a', 'a']);
    expect(requests).toEqual(['initial']);
  });

  it('refreshes once for twenty calls, also for one that notices late', async () => {
    const { source, requests } = createSource(['a', 'b', 'c']);
    await source.getToken();
    expect(await Promise.all(Array.from({ length: 20 }, () => source.refresh('a')))).toEqual(Array(20).fill(true));
    expect(await source.refresh('a')).toBe(true);
    expect(requests).toEqual(['initial', 'expired']);
    expect(await source.getToken()).toBe('b');
    expect(await source.refresh('b')).toBe(true);
    expect(await source.getToken()).toBe('c');
  });

  it('rejects all waiting calls if the refresh fails, and tries again at the next call', async () => {
    const { source } = createSource(['a', new Error('no network'), 'b']);
    await source.getToken();
    const results = await Promise.allSettled([source.refresh('a'), source.refresh('a')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await source.refresh('a')).toBe(true);
  });

  it('calls a function again that has thrown at once', async () => {
    const tokens = ['', 'a'];
    const source = new TokenSource(() => {
      const token = tokens.shift()!;
      if (token === '') throw new Error('no file');
      return token;
    });
    await expect(source.getToken()).rejects.toThrow('no file');
    expect(await source.getToken()).toBe('a');
  });

  it('has no other token if the token is a text, or the function returns the refused one', async () => {
    expect(await new TokenSource('a').refresh('a')).toBe(false);
    const { source } = createSource(['a', 'a']);
    await source.getToken();
    expect(await source.refresh('a')).toBe(false);
  });
});
