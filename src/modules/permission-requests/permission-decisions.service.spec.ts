import { Test } from '@nestjs/testing';
import { computeContentHash, type DecisionMessageParams } from '@external-api/protocol';
import { AuditRecorder } from '../../access/audit';
import { Clock, DAY } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import { SessionActivityRecorder } from '../sessions';
import { PermissionDecisionsService, type PermissionChoice } from './permission-decisions.service';
import { PermissionEventPublisher } from './permission-event-publisher';
import type { PermissionRequestRow } from './permission-request.response.dto';
import { PermissionRequestsRepository } from './permission-requests.repository';

const NOW = new Date(1_788_255_000_000);
const CONTENT = 'a.b.c.d.e';
const HASH = computeContentHash(CONTENT);
const DECIDER = { tokenId: 'tok_1', appId: null, deviceId: null };
const PLACE = { accountId: 'acc_1', sessionId: 'ses_1', localId: 'p1' };

describe('decisions on permission requests', () => {
  let row: PermissionRequestRow & { content: string | null };
  const repository = { findWithContent: jest.fn(), findByLocalId: jest.fn(), update: jest.fn() };
  const publisher = { publishChange: jest.fn() };
  const auditRecorder = { recordActs: jest.fn() };
  let service: PermissionDecisionsService;

  beforeEach(async () => {
    jest.resetAllMocks();
    row = {
      ...{ id: 'perm_1', local_id: 'p1', device_id: 'dev_1', content: CONTENT, state: 'pending', option_id: null },
      ...{ decided_by: null, expires_at: new Date(NOW.getTime() + 1) },
      options: [
        { optionId: 'always', kind: 'allow_always' },
        { optionId: 'once', kind: 'allow_once' },
        { optionId: 'no', kind: 'reject_once' },
      ],
    } as unknown as typeof row;
    repository.findWithContent.mockImplementation(() => Promise.resolve(row));
    repository.findByLocalId.mockImplementation(() => Promise.resolve(row));
    const provide = (token: unknown, useValue: object) => ({ provide: token as string, useValue });
    const module = await Test.createTestingModule({
      providers: [
        PermissionDecisionsService,
        provide(UnitOfWork, { runInTransaction: (work: () => unknown) => work() }),
        provide(PermissionRequestsRepository, repository),
        provide(SessionActivityRecorder, { lockSession: () => Promise.resolve({ id: 'ses_1' }) }),
        provide(PermissionEventPublisher, publisher),
        provide(AuditRecorder, auditRecorder),
        provide(Clock, { currentDate: () => NOW, now: () => NOW.getTime() }),
      ],
    }).compile();
    service = module.get(PermissionDecisionsService);
  });

  const resolve = (choice: PermissionChoice, contentHash = HASH, message: DecisionMessageParams = {}) =>
    service.resolveDecision('acc_1', 'ses_1', 'perm_1', { choice, contentHash, message });
  const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

  it.each([
    [{ decision: 'allow' } as const, 'once'],
    [{ decision: 'reject' } as const, 'no'],
    [{ optionId: 'always' }, 'always'],
  ])('%j selects the option %s', async (choice, optionId) => {
    expect(await resolve(choice)).toEqual({ localId: 'p1', optionId, contentHash: HASH });
  });

  it('carry a message', async () => {
    const decision = await resolve({ decision: 'reject' }, HASH, { message: 'Use the cache.' });
    expect(decision).toEqual({ localId: 'p1', optionId: 'no', contentHash: HASH, message: 'Use the cache.' });
  });

  it('are refused without an option that fits', async () => {
    await expect(resolve({ optionId: 'other' })).rejects.toEqual(code('invalid_request'));
    row.options = row.options.filter(({ kind }) => kind !== 'allow_once');
    await expect(resolve({ decision: 'allow' })).rejects.toEqual(code('invalid_request'));
  });

  it('are refused on other content than that of the request, and after its deletion', async () => {
    await expect(resolve({ decision: 'allow' }, computeContentHash('other'))).rejects.toEqual(code('conflict'));
    row.content = null;
    await expect(resolve({ decision: 'allow' })).rejects.toEqual(code('permission_not_pending'));
  });

  it('go to the device of the turn while the request is pending, until its expiry', async () => {
    expect(await service.getPendingDeviceId('ses_1', 'p1')).toBe('dev_1');
    row.expires_at = NOW;
    await expect(service.getPendingDeviceId('ses_1', 'p1')).rejects.toEqual(code('permission_not_pending'));
  });

  it('are stored with their time and their caller, announced, and in the security log', async () => {
    await service.recordDecision(PLACE, { state: 'allowed', optionId: 'once' }, DECIDER);
    const decision = { state: 'allowed', option_id: 'once', decided_at: NOW, decided_by: DECIDER };
    const stored = { ...decision, delete_content_at: new Date(NOW.getTime() + 30 * DAY) };
    expect(repository.update).toHaveBeenCalledWith(expect.objectContaining(stored));
    expect(publisher.publishChange).toHaveBeenCalledTimes(1);
    const act = { act: 'permission_request.allowed', accountId: 'acc_1', targetId: 'perm_1' };
    expect(auditRecorder.recordActs).toHaveBeenCalledWith(act);
  });

  it('to reject are in the security log as such', async () => {
    await service.recordDecision(PLACE, { state: 'rejected', optionId: 'no' }, DECIDER);
    const act = { act: 'permission_request.rejected', accountId: 'acc_1', targetId: 'perm_1' };
    expect(auditRecorder.recordActs).toHaveBeenCalledWith(act);
  });

  it('that the device has reported before get their caller alone', async () => {
    Object.assign(row, { state: 'allowed', option_id: 'once' });
    await service.recordDecision(PLACE, { state: 'allowed', optionId: 'once' }, DECIDER);
    expect(repository.update).toHaveBeenCalledWith({ ...row, decided_by: DECIDER });
    expect(publisher.publishChange).not.toHaveBeenCalled();
  });

  it.each<[string, Partial<PermissionRequestRow>, 'allowed' | 'rejected', string]>([
    ['whose state does not fit the option', {}, 'rejected', 'once'],
    ['with an option that was not offered', {}, 'allowed', 'other'],
    ['after a cancellation', { state: 'cancelled' }, 'allowed', 'once'],
    ['after another decision', { state: 'rejected', option_id: 'no' }, 'allowed', 'once'],
  ])('%s change nothing', async (_, change, state, optionId) => {
    Object.assign(row, change);
    await service.recordDecision(PLACE, { state, optionId }, DECIDER);
    expect(repository.update).not.toHaveBeenCalled();
    expect(auditRecorder.recordActs).not.toHaveBeenCalled();
  });
});
