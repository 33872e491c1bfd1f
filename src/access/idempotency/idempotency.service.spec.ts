import { Test } from '@nestjs/testing';
import { Clock, HOUR } from '../../common/clock';
import { Config } from '../../core/config';
import { UnitOfWork } from '../../core/database';
import { InstanceRegistry } from '../../core/instances';
import type { Principal } from '../auth';
import type { IdempotencyKeyEntity } from './idempotency-key.entity';
import { IdempotencyRepository } from './idempotency.repository';
import { IdempotencyService, type IdempotencyClaim } from './idempotency.service';
import type { IdempotentCall } from './idempotent-call';
import { ResponseCipher } from './response-cipher';
import { StoredResponseBytesRepository } from './stored-response-bytes.repository';

const NOW = 1_788_255_000_000;
const RESPONSE = { status: 201, body: { done: true }, headers: {} };

describe('idempotent calls', () => {
  let stored: Map<string, IdempotencyKeyEntity>;
  let hasRoom: boolean;
  let isReadable: boolean;
  let liveInstances: string[];
  let reservations: unknown[][];
  let service: IdempotencyService;

  beforeEach(async () => {
    [stored, hasRoom, isReadable, liveInstances, reservations] = [new Map(), true, true, ['ins_2'], []];
    const provide = (token: unknown, useValue: object) => ({ provide: token as string, useValue });
    const keyOf = (id: Buffer) => id.toString('hex');
    const module = await Test.createTestingModule({
      providers: [
        IdempotencyService,
        provide(IdempotencyRepository, {
          claimKey: (record: IdempotencyKeyEntity) => {
            if (stored.has(keyOf(record.id))) return Promise.resolve(false);
            stored.set(keyOf(record.id), record);
            return Promise.resolve(true);
          },
          find: (id: Buffer) => Promise.resolve(stored.get(keyOf(id)) ?? null),
          storeResponse: (id: Buffer, callId: string, status: number, answer: Buffer | null) => {
            const record = stored.get(keyOf(id))!;
            if (record.callId === callId) Object.assign(record, { status, answer });
            return Promise.resolve();
          },
          deleteRecord: (id: Buffer) => Promise.resolve(void stored.delete(keyOf(id))),
        }),
        provide(ResponseCipher, {
          encryptResponse: (response: object) => Buffer.from(JSON.stringify(response)),
          decryptResponse: (sealed: Buffer) => (isReadable ? (JSON.parse(sealed.toString()) as object) : null),
        }),
        provide(StoredResponseBytesRepository, {
          reserveBytes: (...reservation: unknown[]) => Promise.resolve(reservations.push(reservation) > 0 && hasRoom),
        }),
        provide(UnitOfWork, {
          runInTransaction: (work: () => unknown) => work(),
          afterCommit: (callback: () => void) => callback(),
        }),
        provide(InstanceRegistry, {
          ownInstanceId: 'ins_1',
          isAlive: (id: string) => Promise.resolve(liveInstances.includes(id)),
        }),
        provide(Clock, { currentDate: () => new Date(NOW) }),
        provide(Config, { planLimits: { maxKeptAnswerBytes: 1_000 } }),
      ],
    }).compile();
    service = module.get(IdempotencyService);
  });

  const createCall = (change: Partial<IdempotentCall> = {}, limits: object = {}): IdempotentCall => ({
    caller: { kind: 'token', accountId: 'acc_1', tokenId: 'tok_1', appId: null, account: { limits } } as Principal,
    method: 'POST',
    path: '/external/v1/webhooks',
    key: 'key',
    request: { url: 'https://receiver.example/' },
    requestId: 'req_1',
    ...change,
  });
  const begin = async (change: Partial<IdempotentCall> = {}, limits = {}): Promise<IdempotencyClaim> => {
    const outcome = await service.beginCall(createCall(change, limits));
    expect(outcome.kind).toBe('first');
    return (outcome as { record: IdempotencyClaim }).record;
  };
  const repeat = (change: Partial<IdempotentCall> = {}) =>
    service.beginCall(createCall({ requestId: 'req_2', ...change }));
  const inProgress = expect.objectContaining({ code: 'idempotency_in_progress' }) as Error;

  it('run once, and replay the response of the first call for 24 hours', async () => {
    const claim = await begin();
    expect([...stored.values()][0]!.expiresAt).toEqual(new Date(NOW + 24 * HOUR));
    await service.storeResponse(claim, RESPONSE);
    service.releaseCall('req_1');
    expect(await repeat()).toEqual({ kind: 'replay', response: RESPONSE });
  });

  it('are in progress while the first call runs here, and interrupted when it has left no response', async () => {
    await begin();
    await expect(repeat()).rejects.toEqual(inProgress);
    service.releaseCall('req_1');
    expect(await repeat()).toMatchObject({ kind: 'interrupted', record: { callId: 'req_1' } });
  });

  it('are in progress while the instance of the first call lives', async () => {
    await begin();
    [...stored.values()][0]!.origin = 'ins_2';
    await expect(repeat()).rejects.toEqual(inProgress);
    liveInstances = [];
    expect(await repeat()).toMatchObject({ kind: 'interrupted' });
  });

  it('are refused with another request, also while the first one runs', async () => {
    await begin();
    const reused = expect.objectContaining({ code: 'idempotency_key_reused' }) as Error;
    await expect(repeat({ request: { url: 'https://other.example/' } })).rejects.toEqual(reused);
  });

  it.each<[string, Partial<IdempotentCall>]>([
    ['path', { path: '/external/v1/other' }],
    ['key', { key: 'other' }],
    ['token', { caller: { ...createCall().caller, tokenId: 'tok_2' } as Principal }],
    ['device', { caller: { ...createCall().caller, kind: 'device', deviceId: 'dev_1' } as unknown as Principal }],
  ])('of another %s are first calls', async (_, change) => {
    await begin();
    await begin({ requestId: 'req_2', ...change });
  });

  it('of two devices of an account have keys of their own', async () => {
    const ofDevice = (deviceId: string) =>
      ({ kind: 'device', accountId: 'acc_1', deviceId, account: { limits: {} } }) as unknown as Principal;
    await begin({ caller: ofDevice('dev_1') });
    await begin({ caller: ofDevice('dev_2'), requestId: 'req_2' });
  });

  it('store the status alone beyond the limit, and are not run again', async () => {
    const claim = await begin();
    hasRoom = false;
    await service.storeResponse(claim, RESPONSE);
    expect(await repeat()).toEqual({ kind: 'not_kept', status: 201, callId: 'req_1' });
  });

  it.each([
    ['the plan', {}, 1_000],
    ['the account', { maxKeptAnswerBytes: 7 }, 7],
  ])('count their bytes against the limit of %s', async (_, limits, limit) => {
    await service.storeResponse(await begin({}, limits), RESPONSE);
    expect(reservations).toEqual([['acc_1', JSON.stringify(RESPONSE).length, limit]]);
  });

  it('count a response that replaces an earlier one only as far as it is longer', async () => {
    const claim = await begin();
    const late = { ...RESPONSE, body: { done: true, late: true } };
    for (const response of [RESPONSE, late, RESPONSE]) await service.storeResponse(claim, response);
    const countBytes = (response: object) => JSON.stringify(response).length;
    const counted = [countBytes(RESPONSE), countBytes(late) - countBytes(RESPONSE), 0];
    expect(reservations.map(([, bytes]) => bytes)).toEqual(counted);
  });

  it('are interrupted when no secret decrypts their response', async () => {
    await service.storeResponse(await begin(), RESPONSE);
    isReadable = false;
    expect(await repeat()).toMatchObject({ kind: 'interrupted' });
  });

  it('that were interrupted store a response for retries without counting it', async () => {
    await begin();
    service.releaseCall('req_1');
    const { record } = (await repeat()) as { record: IdempotencyClaim };
    await service.storeInterruption(record, RESPONSE);
    expect(await repeat()).toEqual({ kind: 'replay', response: RESPONSE });
    expect(reservations).toEqual([]);
  });

  it('free the key of a call without effect', async () => {
    await service.discardClaim(await begin());
    await begin({ requestId: 'req_2' });
  });
});
