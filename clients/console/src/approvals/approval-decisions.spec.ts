import { createHash } from 'node:crypto';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { hashCiphertext, explainDecisionError } from './approval-decisions';

describe('a content hash', () => {
  it.each(['a..b.c.d', 'eyJhbGciOiJkaXIifQ..AAAA.BBBB.CCCC', ''])('is that of the device: %j', async (content) => {
    expect(await hashCiphertext(content)).toBe(createHash('sha256').update(content, 'ascii').digest('base64url'));
  });
});

describe('a decision that failed', () => {
  it.each([
    [new ServiceError(409, { code: 'permission_not_pending' }), 'final', /Somebody else was faster/],
    [new ServiceError(409, { code: 'permission_not_pending', outcome: 'answered' }), 'final', /didn’t count/],
    [new ServiceError(409, { code: 'conflict', outcome: 'answered' }), 'open', /other content/],
    [new ServiceError(404, { code: 'not_found' }), 'final', /no longer exists/],
    [new ServiceError(503, { code: 'no_online_device', outcome: 'not_delivered' }), 'open', /offline/],
    [new ServiceError(504, { code: 'timeout', outcome: 'unknown' }), 'open', /Nobody knows/],
    [new UnreachableError(), 'open', /first decision that reaches the agent counts/],
    [new ServiceError(401, {}), 'open', /signed out/],
  ])('is explained in a plain sentence: %s', (error, state, text) => {
    expect(explainDecisionError(error)).toEqual({ state, text: expect.stringMatching(text) });
  });
});
