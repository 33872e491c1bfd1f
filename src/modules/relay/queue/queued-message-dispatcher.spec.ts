import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Subject } from 'rxjs';
import { Clock } from '../../../common/clock';
import { ReadOnlyState } from '../../../common/read-only-state';
import { ShutdownState } from '../../../common/shutdown-state';
import { DatabaseConnectionError } from '../../../core/database';
import type { QueuedMessageDeliveriesService, QueueMessageService } from '../../queued-messages';
import type { DeviceGateway } from '../../device-gateway';
import { QueuedMessageDispatcher } from './queued-message-dispatcher';
import type { QueuedMessageSender } from './queued-message-sender';

type DueStep = NonNullable<Awaited<ReturnType<QueuedMessageDeliveriesService['takeDueStep']>>>;

const attempt = { id: 'qmsg_1', accountId: 'acc_1', requestId: 'req_1', leaseEndsAt: new Date(Date.now() + 3_600_000) };
const SEND = { kind: 'send', attempt, text: { content: 'hello' } } as unknown as DueStep & { kind: 'send' };
const sendOf = (accountId: string): DueStep => ({ ...SEND, attempt: { ...SEND.attempt, accountId } });
const LOST = { kind: 'lost', attempt } as unknown as DueStep;

describe('the dispatcher of queued messages', () => {
  let steps: DueStep[];
  let committed: Subject<void>;
  let connected: Subject<{ device: { accountId: string } }>;
  let readOnlyState: ReadOnlyState;
  let shutdownState: ShutdownState;
  let dispatcher: QueuedMessageDispatcher;
  const deliveries = { wakeAccounts: jest.fn(), recordOutcome: jest.fn() };
  const sender = { sendMessage: jest.fn(), recordLostAttempt: jest.fn() };

  beforeEach(() => {
    jest.useFakeTimers();
    jest.resetAllMocks();
    Logger.overrideLogger(false);
    [steps, committed, connected] = [[], new Subject(), new Subject()];
    [readOnlyState, shutdownState] = [new ReadOnlyState(), new ShutdownState()];
    deliveries.wakeAccounts.mockResolvedValue(undefined);
    deliveries.recordOutcome.mockResolvedValue(undefined);
    sender.sendMessage.mockResolvedValue({ kind: 'delivered', turnId: null });
    dispatcher = new QueuedMessageDispatcher(
      { committedMessages: committed } as unknown as QueueMessageService,
      {
        ...deliveries,
        hasDueMessage: () => Promise.resolve(steps.length > 0),
        takeDueStep: (exceptAccountIds: string[]) => {
          const isTaken = (step: DueStep) => !exceptAccountIds.includes((step as typeof SEND).attempt.accountId);
          const index = steps.findIndex(isTaken);
          return Promise.resolve(index === -1 ? null : steps.splice(index, 1)[0]);
        },
      } as unknown as QueuedMessageDeliveriesService,
      sender as unknown as QueuedMessageSender,
      { connectedDevices: connected } as unknown as DeviceGateway,
      shutdownState,
      readOnlyState,
      new Clock(),
      new Registry(),
    );
    dispatcher.onApplicationBootstrap();
  });
  afterEach(async () => {
    jest.useRealTimers();
    await dispatcher.onApplicationShutdown();
  });

  const settle = () => jest.advanceTimersByTimeAsync(10);

  it('sends what is due at once after it was queued, and within two seconds otherwise', async () => {
    steps.push(SEND, SEND);
    committed.next();
    await settle();
    expect(sender.sendMessage).toHaveBeenCalledTimes(2);
    expect(deliveries.recordOutcome).toHaveBeenCalledWith(attempt, { kind: 'delivered', turnId: null });
    steps.push(SEND);
    await jest.advanceTimersByTimeAsync(2_000);
    expect(sender.sendMessage).toHaveBeenCalledTimes(3);
  });

  it.each<[string, () => void]>([
    ['in read-only mode', () => (readOnlyState.isReadOnly = true)],
    ['while the instance drains', () => shutdownState.startDraining()],
  ])('sends nothing %s', async (_, prevent) => {
    prevent();
    steps.push(SEND);
    committed.next();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(steps).toHaveLength(1);
  });

  it('sends 200 messages at a time, ten of them of one account', async () => {
    const answers: (() => void)[] = [];
    sender.sendMessage.mockImplementation(
      () => new Promise<object>((resolve) => answers.push(() => resolve({ kind: 'unknown' }))),
    );
    const listAccounts = () => sender.sendMessage.mock.calls.map(([{ accountId }]) => accountId as string);
    steps.push(...Array.from({ length: 12 }, () => SEND), sendOf('acc_other'));
    committed.next();
    await settle();
    expect(listAccounts()).toEqual([...Array<string>(10).fill('acc_1'), 'acc_other']);
    answers[0]!();
    await settle();
    expect(listAccounts().slice(11)).toEqual(['acc_1']);
    steps.push(...Array.from({ length: 200 }, (_, n) => sendOf(`acc_more_${n}`)));
    committed.next();
    await settle();
    expect(answers).toHaveLength(201);
    for (let n = 1; n < answers.length; n++) answers[n]!();
    await settle();
    expect(steps).toEqual([]);
    for (const answer of answers) answer();
  });

  it('makes messages due for the accounts of devices that connect, also after the database was away', async () => {
    deliveries.wakeAccounts.mockRejectedValueOnce(new Error('away'));
    connected.next({ device: { accountId: 'acc_1' } });
    await settle();
    connected.next({ device: { accountId: 'acc_2' } });
    await settle();
    expect(deliveries.wakeAccounts.mock.calls).toEqual([[['acc_1']], [['acc_1', 'acc_2']]]);
  });

  it('only records an attempt whose outcome will never be known', async () => {
    steps.push(LOST);
    committed.next();
    await settle();
    expect(sender.recordLostAttempt).toHaveBeenCalledWith(attempt);
    expect(sender.sendMessage).not.toHaveBeenCalled();
  });

  it('does not send a message again whose outcome the database did not store at first', async () => {
    deliveries.recordOutcome.mockRejectedValueOnce(new DatabaseConnectionError(new Error('away')));
    steps.push(SEND);
    committed.next();
    await settle();
    jest.useRealTimers();
    await dispatcher.onApplicationShutdown();
    expect(deliveries.recordOutcome).toHaveBeenCalledTimes(2);
    expect(sender.sendMessage).toHaveBeenCalledTimes(1);
  });
});
