import { createHash } from 'node:crypto';
import type { AccountApi } from '../content/account-api';
import type { SessionOpener } from '../content/content-opener';
import { ServiceError, UnreachableError } from '../lib/api-client';
import { ApprovalDecision, hashCiphertext, explainDecisionError } from './approval-decisions';

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

describe('a decision with a message', () => {
  const RECORD = { id: 'perm_1', sessionId: 'ses_1' };
  const REJECT = { optionId: 'o2', kind: 'reject_once' };
  let decision: ApprovalDecision;
  let sent: [body: object, key: string][];
  let failure: Error | null;
  let sealCount: number;

  const api = {
    post: (_path: string, body: object, key: string) => {
      sent.push([body, key]);
      return failure ? Promise.reject(failure) : Promise.resolve({});
    },
  } as unknown as AccountApi;
  const seal = (text: string, hash: string) => Promise.resolve(`${text} ${hash} ${++sealCount}`);
  const opener = { sealDecisionMessage: seal, sealAnswers: seal } as unknown as SessionOpener;
  const reject = (text: string) => decision.sendDecision(api, RECORD, REJECT, 'hash', { text, opener });

  beforeEach(() => {
    decision = new ApprovalDecision();
    [sent, failure, sealCount] = [[], null, 0];
  });

  it('has the message as it was encrypted once, also when it is sent again', async () => {
    failure = new UnreachableError();
    expect(await reject('No.')).toMatchObject({ state: 'open', isSuccess: false });
    failure = null;
    const text = 'Rejected. The agent gets your message next.';
    expect(await reject('No.')).toEqual({ state: 'final', isSuccess: true, text });
    expect(sent[0]).toEqual([{ optionId: 'o2', contentHash: 'hash', sealedMessage: 'No. hash 1' }, expect.any(String)]);
    expect(sent[1]).toEqual(sent[0]);
    expect(decision.isRefused).toBe(false);
  });

  it('keeps the text until the agent gets it', async () => {
    decision.unsentText = 'No.';
    failure = new ServiceError(409, { code: 'permission_not_pending' });
    await reject('No.');
    expect(decision.unsentText).toBe('No.');
    failure = null;
    await reject('No.');
    expect(decision.unsentText).toBe('');
  });

  it('has none if the text is blank', async () => {
    expect(await reject(' \n')).toMatchObject({ text: 'Rejected.' });
    const answered = await decision.sendAnswers(api, RECORD, { port: 1 }, 'hash', { text: '', opener });
    const declined = await decision.sendAnswers(api, RECORD, null, 'hash', { text: '', opener });
    expect([answered.text, declined.text]).toEqual(['Answered.', 'Declined.']);
    expect(sent.map(([body]) => body)).toEqual([
      { optionId: 'o2', contentHash: 'hash' },
      { sealedAnswers: '{"port":1} hash 1', contentHash: 'hash' },
      { decision: 'decline', contentHash: 'hash' },
    ]);
  });

  it('says that the message was not sent if the decision did not count', async () => {
    failure = new ServiceError(409, { code: 'permission_not_pending' });
    expect(await reject('No.')).toMatchObject({ state: 'final', text: expect.stringContaining('was not sent') });
    expect(decision.isRefused).toBe(true);
    failure = new ServiceError(502, {
      code: 'device_error',
      outcome: 'answered',
      deviceError: { code: 'internal', message: 'The decision was executed, but its message was lost. ENOSPC' },
    });
    expect(await reject('No.')).toMatchObject({
      state: 'final',
      text: expect.stringContaining('Send the message again'),
    });
    expect(decision.isRefused).toBe(true);
    failure = new ServiceError(503, { code: 'no_online_device', outcome: 'not_delivered' });
    expect(await reject('No.')).toMatchObject({ state: 'open', text: expect.stringContaining('too old') });
    expect(decision.isRefused).toBe(false);
  });
});
