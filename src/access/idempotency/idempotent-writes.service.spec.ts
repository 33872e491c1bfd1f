import { Test } from '@nestjs/testing';
import { UnitOfWork } from '../../core/database';
import type { Principal } from '../auth';
import { IdempotencyService, type IdempotencyClaim, type IdempotencyOutcome } from './idempotency.service';
import type { IdempotentCall } from './idempotent-call';
import { IdempotentWritesService } from './idempotent-writes.service';

const CLAIM: IdempotencyClaim = {
  id: Buffer.from('id'),
  key: 'key',
  callId: 'req_1',
  accountId: 'acc_1',
  limit: 1_000,
  chargedBytes: 0,
};
const CALL: IdempotentCall = {
  caller: { kind: 'token', accountId: 'acc_1' } as Principal,
  method: 'POST',
  path: '/external/v1/webhooks',
  key: 'key',
  request: {},
  requestId: 'req_1',
};

describe('an idempotent write', () => {
  let outcome: IdempotencyOutcome;
  let service: IdempotentWritesService;
  const beginCall = jest.fn(() => Promise.resolve(outcome));
  const storeResponse = jest.fn(() => Promise.resolve());
  const releaseCall = jest.fn();
  const work = jest.fn(() => Promise.resolve({ done: true, secret: 's' }));

  beforeEach(async () => {
    jest.clearAllMocks();
    const module = await Test.createTestingModule({
      providers: [
        IdempotentWritesService,
        { provide: UnitOfWork, useValue: { runInTransaction: (run: () => unknown) => run() } },
        { provide: IdempotencyService, useValue: { beginCall, storeResponse, releaseCall } },
      ],
    }).compile();
    service = module.get(IdempotentWritesService);
  });

  const write = (call: IdempotentCall | null = CALL) =>
    service.runOnce<object>(call, work, () => ({ status: 201, body: { done: true }, headers: {} }));

  it('runs each time without a key', async () => {
    expect(await write(null)).toEqual({ body: { done: true, secret: 's' }, replayed: false });
    expect(beginCall).not.toHaveBeenCalled();
  });

  it('runs as the first call with its key, and stores the response without its secret', async () => {
    outcome = { kind: 'first', record: CLAIM };
    expect(await write()).toEqual({ body: { done: true, secret: 's' }, replayed: false });
    expect(storeResponse.mock.calls).toEqual([[CLAIM, { status: 201, body: { done: true }, headers: {} }]]);
  });

  it('is replayed, and does not run again', async () => {
    outcome = { kind: 'replay', response: { status: 201, body: { done: true }, headers: {} } };
    expect(await write()).toEqual({ body: { done: true }, replayed: true });
    expect(work).not.toHaveBeenCalled();
  });

  it.each<[string, IdempotencyOutcome, string]>([
    ['was not stored', { kind: 'not_kept', status: 201, callId: 'req_0' }, 'answer_not_kept'],
    ['no configured secret decrypts', { kind: 'interrupted', record: CLAIM }, 'conflict'],
  ])('is 409 and does not run again if the response of the first call %s', async (_, earlier, code) => {
    outcome = earlier;
    await expect(write()).rejects.toMatchObject({ status: 409, code });
    expect([work.mock.calls, storeResponse.mock.calls]).toEqual([[], []]);
    expect(releaseCall).toHaveBeenCalledWith('req_1');
  });
});
