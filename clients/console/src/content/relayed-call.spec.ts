import { ServiceError, UnreachableError } from '../lib/api-client';
import type { AccountApi } from './account-api';
import { explainCallError, RepeatableCall } from './relayed-call';

const UNKNOWN = 'Nobody knows.';

describe('an error of a relayed call', () => {
  it.each([
    [new ServiceError(401, { code: 'invalid_token' }), /signed out/],
    [new ServiceError(503, { code: 'no_online_device', outcome: 'not_delivered' }), /offline/],
    [new ServiceError(429, { code: 'rate_limited' }), /too many calls.*in a minute/],
    [new ServiceError(429, { code: 'rate_limited' }, 37), /too many calls.*nothing was sent.*in 37 s/],
    [new ServiceError(429, { code: 'device_busy', outcome: 'not_delivered' }), /too much to do/],
    [
      new ServiceError(502, { code: 'device_error', outcome: 'answered', deviceError: { code: 'cwd_not_found' } }),
      /folder/,
    ],
    [new ServiceError(504, { code: 'timeout', outcome: 'unknown' }), /Nobody knows/],
    [new ServiceError(502, {}), /Nobody knows/],
    [new UnreachableError(), /Nobody knows/],
    [new ServiceError(400, { code: 'invalid_request', detail: '/cwd is too long.' }), /cwd is too long/],
    [new Error('A defect'), /A defect/],
  ])('is a plain sentence: %s', (error, text) => {
    expect(explainCallError(error, UNKNOWN)).toMatch(text);
  });
});

describe('a call that is repeated', () => {
  const keys: string[] = [];
  let failure: Error | null;
  const api = {
    post: (_path: string, _body: object, key: string) => {
      keys.push(key);
      return failure ? Promise.reject(failure) : Promise.resolve({});
    },
  } as unknown as AccountApi;

  const callTwice = async (secondBody: object): Promise<boolean> => {
    keys.length = 0;
    const call = new RepeatableCall();
    await call.post(api, '/x', { a: 1 }).catch(() => undefined);
    await call.post(api, '/x', secondBody).catch(() => undefined);
    return keys[0] === keys[1];
  };

  it('keeps its key while the outcome is unknown', async () => {
    failure = new UnreachableError();
    expect(await callTwice({ a: 1 })).toBe(true);
    expect(await callTwice({ a: 2 })).toBe(false);
  });

  it('gets another key after a success, and after an error without effect', async () => {
    failure = null;
    expect(await callTwice({ a: 1 })).toBe(false);
    failure = new ServiceError(503, { code: 'no_online_device', outcome: 'not_delivered' });
    expect(await callTwice({ a: 1 })).toBe(false);
  });
});
