import type { PermissionRecord } from '../content/records';
import { ServiceError } from '../lib/api-client';
import { updateApproval } from './approval-collection';
import type { Approval } from './open-approval';

const DEVICE = { tokenId: null, deviceId: 'dev_1' };

describe('a request that was decided while the page is open', () => {
  let stored: Partial<PermissionRecord>;
  let readCount: number;
  const api = {
    getRecord: <T>() => {
      readCount++;
      return Promise.resolve(stored as T);
    },
  };
  const pending = { record: { id: 'perm_1', sessionId: 'ses_1', state: 'pending', decidedBy: null } } as Approval;
  const update = (approval: Approval, waiting: readonly PermissionRecord[] = []) =>
    updateApproval(api, approval, waiting);

  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
    readCount = 0;
    stored = { state: 'allowed', decidedBy: null, decidedAt: 1 };
  });
  afterEach(() => jest.useRealTimers());

  it('is read once its list no longer has it', async () => {
    expect(await update(pending, [pending.record])).toBe(pending);
    stored.decidedBy = DEVICE;
    const decided = await update(pending);
    expect(decided.record).toMatchObject({ state: 'allowed', decidedBy: DEVICE, decidedAt: 1 });
    expect(await update(decided)).toBe(decided);
    expect(readCount).toBe(1);
  });

  it('has no decider until it is known, since the report of the machine may come before its answer', async () => {
    const decided = await update(pending);
    expect(decided.record).toMatchObject({ state: 'allowed', decidedBy: undefined });
    stored.decidedBy = DEVICE;
    expect((await update(decided)).record.decidedBy).toEqual(DEVICE);
  });

  it('was decided by the machine itself if no decider follows', async () => {
    const decided = await update(pending);
    jest.setSystemTime(9_999);
    const later = await update(decided);
    expect(later.record.decidedBy).toBeUndefined();
    jest.setSystemTime(10_000);
    const last = await update(later);
    expect(last.record.decidedBy).toBeNull();
    expect(await update(last)).toBe(last);
  });

  it('has no decider to wait for if nobody decided', async () => {
    stored = { state: 'expired', decidedBy: null, decidedAt: null };
    expect((await update(pending)).record).toMatchObject({ state: 'expired', decidedBy: null });
  });

  it('is cancelled if it no longer exists', async () => {
    const gone = { getRecord: () => Promise.reject(new ServiceError(404, {})) };
    expect((await updateApproval(gone, pending, [])).record.state).toBe('cancelled');
    const failing = { getRecord: () => Promise.reject(new ServiceError(503, {})) };
    await expect(updateApproval(failing, pending, [])).rejects.toThrow('503');
  });
});
