import { Test } from '@nestjs/testing';
import { Clock, DAY, MINUTE, SECOND } from '../../common/clock';
import { UnitOfWork } from '../../core/database';
import { InstanceRegistry } from '../../core/instances';
import { SessionActivityRecorder } from '../sessions';
import { DeliveryRightsRepository } from './delivery-rights.repository';
import { QueueDispatchRepository, type DueMessageRow } from './queue-dispatch.repository';
import { QueuedMessageDeliveriesService, type DeliveryAttempt } from './queued-message-deliveries.service';
import { QueuedMessageEnder } from './queued-message-ender';
import { QueuedMessagesRepository } from './queued-messages.repository';
import { QueuedTextCipher } from './queued-text-cipher';

const NOW = 1_788_255_000_000;
const at = (ms: number) => new Date(NOW + ms);

describe('the deliveries of queued messages', () => {
  let row: DueMessageRow;
  let isSenderAlive: boolean;
  let hasRights: boolean;
  const machineIds = ['mch_1'];
  let isSuspended: boolean;
  let headId: string;
  const dispatch = { postpone: jest.fn(), markSending: jest.fn(), requeue: jest.fn(), makeDue: jest.fn() };
  const ender = { endMessage: jest.fn() };
  let service: QueuedMessageDeliveriesService;

  beforeEach(async () => {
    jest.resetAllMocks();
    [isSenderAlive, hasRights, isSuspended, headId] = [true, true, false, 'qmsg_1'];
    row = {
      ...{ id: 'qmsg_1', account_id: 'acc_1', session_id: 'ses_1', token_id: 'tok_1', app_id: null },
      ...{ caller_device_id: null, state: 'queued', attempts: 1, woken: false, request_id: 'req_1' },
      ...{ sender_instance: 'ins_1', sealed_text: Buffer.from('x'), lease_ends_at: null, ended_at: null },
      ...{ due_at: at(0), expires_at: at(DAY), session_state: 'active', host_device_id: 'dev_1' },
    } as unknown as DueMessageRow;
    const provide = (token: unknown, useValue: object) => ({ provide: token as string, useValue });
    const module = await Test.createTestingModule({
      providers: [
        QueuedMessageDeliveriesService,
        provide(UnitOfWork, { runInTransaction: (work: () => unknown) => work() }),
        provide(QueueDispatchRepository, {
          ...dispatch,
          lockNextDue: () => Promise.resolve(row),
          findHeadId: () => Promise.resolve(headId),
        }),
        provide(QueuedMessagesRepository, { find: () => Promise.resolve(row) }),
        provide(QueuedMessageEnder, ender),
        provide(DeliveryRightsRepository, {
          isAccountSuspended: () => Promise.resolve(isSuspended),
          lockSendingRights: () => Promise.resolve(hasRights ? { machineIds } : null),
        }),
        provide(SessionActivityRecorder, {
          lockSession: () => Promise.resolve({ state: row.session_state, host_device_id: 'dev_1' }),
        }),
        provide(QueuedTextCipher, { decryptText: (text: Buffer) => (text.length ? { content: 'hello' } : null) }),
        provide(InstanceRegistry, { ownInstanceId: 'ins_1', isAlive: () => Promise.resolve(isSenderAlive) }),
        provide(Clock, { now: () => NOW, currentDate: () => at(0) }),
      ],
    }).compile();
    service = module.get(QueuedMessageDeliveriesService);
  });

  const expectEnd = (end: object) =>
    expect(ender.endMessage).toHaveBeenCalledWith(expect.objectContaining({ id: 'qmsg_1' }), end, {
      byDeviceId: null,
      hostDeviceId: 'dev_1',
    });
  const expectDone = async () => {
    expect(await service.takeDueStep([])).toEqual({ kind: 'done' });
    expect(dispatch.markSending).not.toHaveBeenCalled();
  };
  const expectPostponed = async (until: Date) => {
    await expectDone();
    expect(dispatch.postpone).toHaveBeenCalledWith('qmsg_1', until);
  };

  it('mark a message before it is sent, for a lease of a minute', async () => {
    const step = await service.takeDueStep([]);
    expect(step).toMatchObject({
      kind: 'send',
      text: { content: 'hello' },
      attempt: { machineIds, leaseEndsAt: at(MINUTE) },
    });
    expect(dispatch.markSending).toHaveBeenCalledWith(
      'qmsg_1',
      expect.objectContaining({ senderInstance: 'ins_1', leaseEndsAt: at(MINUTE), dueAt: at(10 * SECOND) }),
    );
  });

  it('end a message at its expiry, and not before', async () => {
    row.expires_at = at(0);
    await expectDone();
    expectEnd({ state: 'expired' });
    jest.clearAllMocks();
    row.expires_at = at(1);
    expect(await service.takeDueStep([])).toMatchObject({ kind: 'send' });
  });

  it('cancel a message of an ended session, and of a caller without the right', async () => {
    row.session_state = 'ended';
    await expectDone();
    expectEnd({ state: 'cancelled' });
    jest.clearAllMocks();
    row.session_state = 'active';
    hasRights = false;
    await expectDone();
    expectEnd({ state: 'cancelled' });
  });

  it('fail a message whose text no secret opens', async () => {
    row.sealed_text = Buffer.alloc(0);
    await expectDone();
    expectEnd({ state: 'failed', errorCode: 'content_unreadable' });
  });

  it('postpone a message behind another one to its expiry', async () => {
    headId = 'qmsg_0';
    await expectPostponed(at(DAY));
  });

  it('postpone a message of a suspended account by 15 minutes, but not beyond its expiry', async () => {
    isSuspended = true;
    await expectPostponed(at(15 * MINUTE));
    row.expires_at = at(MINUTE);
    await expectPostponed(at(MINUTE));
  });

  it('wait for an attempt whose instance is alive until its lease ends', async () => {
    Object.assign(row, { state: 'sending', lease_ends_at: at(1) });
    await expectPostponed(at(10 * SECOND));
    expect(ender.endMessage).not.toHaveBeenCalled();
  });

  it.each([
    ['whose lease has ended', true, at(0)],
    ['whose instance has died', false, at(MINUTE)],
  ])('end an attempt %s as unknown, and do not repeat it', async (_, isAlive, leaseEndsAt) => {
    Object.assign(row, { state: 'sending', lease_ends_at: leaseEndsAt });
    isSenderAlive = isAlive;
    expect(await service.takeDueStep([])).toMatchObject({ kind: 'lost', attempt: { requestId: 'req_1' } });
    expectEnd({ state: 'unknown' });
  });

  describe('record the outcome of an attempt:', () => {
    const attempt = { id: 'qmsg_1', accountId: 'acc_1', sessionId: 'ses_1', requestId: 'req_1' } as DeliveryAttempt;
    beforeEach(() => Object.assign(row, { state: 'sending', lease_ends_at: at(MINUTE) }));

    it('the end that the device reports', async () => {
      await service.recordOutcome(attempt, { kind: 'failed', errorCode: 'no_agent' });
      expectEnd({ state: 'failed', errorCode: 'no_agent' });
    });

    it('nothing of an earlier attempt, or after the end', async () => {
      await service.recordOutcome({ ...attempt, requestId: 'req_0' }, { kind: 'unknown' });
      row.state = 'cancelled';
      await service.recordOutcome(attempt, { kind: 'unknown' });
      expect(ender.endMessage).not.toHaveBeenCalled();
    });

    it.each([
      ['after five seconds', { attempts: 1 }, at(5 * SECOND)],
      ['at the expiry, if that comes first', { expires_at: at(3 * SECOND) }, at(3 * SECOND)],
      ['at once, if the device has connected meanwhile', { woken: true }, at(0)],
    ])('the next attempt %s', async (_, change, dueAt) => {
      Object.assign(row, change);
      dispatch.requeue.mockResolvedValue(true);
      await service.recordOutcome(attempt, { kind: 'not_delivered', reason: 'no_online_device' });
      expect(dispatch.requeue).toHaveBeenCalledWith('qmsg_1', dueAt);
      expect(ender.endMessage).not.toHaveBeenCalled();
    });

    it('the next attempt after that of a message before it, whose time came meanwhile', async () => {
      dispatch.requeue.mockResolvedValue(true);
      await service.recordOutcome(attempt, { kind: 'not_delivered', reason: 'no_online_device' });
      expect(dispatch.makeDue).not.toHaveBeenCalled();
      headId = 'qmsg_0';
      await service.recordOutcome(attempt, { kind: 'not_delivered', reason: 'no_online_device' });
      expect(dispatch.makeDue).toHaveBeenCalledWith('qmsg_0', at(0));
    });

    it('the cancellation of a message that did not arrive before its session ended', async () => {
      dispatch.requeue.mockResolvedValue(false);
      await service.recordOutcome(attempt, { kind: 'not_delivered', reason: 'no_online_device' });
      expectEnd({ state: 'cancelled' });
    });
  });
});
