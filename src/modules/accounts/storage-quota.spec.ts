import { Test } from '@nestjs/testing';
import type { ApiError } from '../../common/errors';
import { Config } from '../../core/config';
import { AccountsRepository } from './accounts.repository';
import { EventQuota } from './event-quota';
import type { AccountLimits } from './plan';
import { countRowBytes, StorageQuota } from './storage-quota';

const GIBIBYTE = 1_073_741_824;
const ROW_BYTES = 1_024;

describe('bytes charged for a row', () => {
  it.each([
    ['without texts', [], ROW_BYTES],
    ['with null', [null], ROW_BYTES],
    ['with an empty text', [''], ROW_BYTES],
    ['with ASCII', ['abc'], ROW_BYTES + 3],
    ['with UTF-8, by its bytes', ['é💻'], ROW_BYTES + 6],
    ['with several texts', ['abc', null, 'de'], ROW_BYTES + 5],
  ])('%s', (_name, texts, bytes) => {
    expect(countRowBytes(...texts)).toBe(bytes);
  });
});

describe('StorageQuota', () => {
  let account: { storage_bytes: string; limits: AccountLimits } | undefined;
  let isAdded: boolean;
  let additions: unknown[][];
  let quota: StorageQuota;

  beforeEach(async () => {
    account = undefined;
    isAdded = true;
    additions = [];
    const repository = {
      findStorage: () => Promise.resolve(account),
      addStorageBytes: (...addition: unknown[]) => {
        additions.push(addition);
        return Promise.resolve(isAdded);
      },
    };
    const module = await Test.createTestingModule({
      providers: [
        StorageQuota,
        { provide: AccountsRepository, useValue: repository },
        { provide: EventQuota, useValue: { requireCapacity: () => Promise.resolve() } },
        { provide: Config, useValue: { rateLimits: {}, planLimits: { maxStorageBytes: GIBIBYTE } } },
      ],
    }).compile();
    quota = module.get(StorageQuota);
  });

  const findError = (work: Promise<void>) =>
    work.then(
      () => null,
      (error: ApiError) => error,
    );

  it.each([
    { name: 'the last byte', used: GIBIBYTE - 10, limits: {}, bytes: 10, limit: null },
    { name: 'one byte too many', used: GIBIBYTE - 10, limits: {}, bytes: 11, limit: GIBIBYTE },
    { name: 'nothing, above the limit', used: GIBIBYTE + 1, limits: {}, bytes: 0, limit: null },
    { name: 'a release, above the limit', used: GIBIBYTE + 1, limits: {}, bytes: -1, limit: null },
    { name: 'the last byte of its own limit', used: 90, limits: { maxStorageBytes: 100 }, bytes: 10, limit: null },
    { name: 'a byte above its own limit', used: 90, limits: { maxStorageBytes: 100 }, bytes: 11, limit: 100 },
    { name: 'a byte, with its own limit of 0', used: 0, limits: { maxStorageBytes: 0 }, bytes: 1, limit: 0 },
  ])('lets an account write up to its limit: $name', async ({ used, limits, bytes, limit }) => {
    account = { storage_bytes: String(used), limits };
    const error = await findError(quota.requireCapacity('acc_1', bytes));
    expect(error && [error.code, error.extras.members]).toEqual(
      limit === null ? null : ['plan_limit_exceeded', { limit }],
    );
  });

  it('rejects writes to an account that was deleted, but not a release', async () => {
    isAdded = false;
    for (const write of [quota.requireCapacity('acc_1', 1), quota.addUsage('acc_1', 1)]) {
      expect(await findError(write)).toMatchObject({ code: 'invalid_token' });
    }
    expect(await findError(quota.addUsage('acc_1', -1))).toBeNull();
  });

  it('adds to the usage under the limit of the plan, and releases', async () => {
    await quota.addUsage('acc_1', 5);
    await quota.addUsage('acc_1', -5);
    expect(additions).toEqual([
      ['acc_1', 5, GIBIBYTE],
      ['acc_1', -5, GIBIBYTE],
    ]);
  });

  it('does not lock the account to add nothing', async () => {
    await quota.addUsage('acc_1', 0);
    expect(additions).toEqual([]);
  });

  it("rejects an addition that no longer fits, and names the account's own limit", async () => {
    account = { storage_bytes: '90', limits: { maxStorageBytes: 100 } };
    isAdded = false;
    const error = await findError(quota.addUsage('acc_1', 11));
    expect(error).toMatchObject({ code: 'plan_limit_exceeded', extras: { members: { limit: 100 } } });
  });
});
