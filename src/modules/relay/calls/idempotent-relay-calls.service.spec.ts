import { Test } from '@nestjs/testing';
import { IdempotencyService, type StoredResponse } from '../../../access/idempotency';
import { Clock } from '../../../common/clock';
import { Config } from '../../../core/config';
import { DatabaseConnectionError, UnitOfWork } from '../../../core/database';
import type { RelayCallEntity } from '../audit/relay-call.entity';
import { RelayAuditWriter } from '../audit/relay-audit-writer';
import { deviceDisconnectedError, notDeliveredError } from '../relay.errors';
import type { CallContext } from './call-context';
import { IdempotentRelayCallsService, type IdempotentRelayCall } from './idempotent-relay-calls.service';
import type { UnsentRequest } from './relay-request';

const CONTEXT = {
  caller: { kind: 'token', accountId: 'acc_1', tokenId: 'tok_1', appId: null },
  idempotentRequest: { key: 'key' },
  requestId: 'req_1',
} as unknown as CallContext;
const REQUEST = { requestId: 'req_1', method: 'machine.invoke', params: {} } as unknown as UnsentRequest;
const ANSWER = { status: 200, body: { requestId: 'req_1', result: {} } } as const;
const ROW = {} as RelayCallEntity;
const AWAY = new DatabaseConnectionError(new Error('away'));

describe('relayed calls with a key', () => {
  const idempotency = {
    beginCall: jest.fn(),
    storeResponse: jest.fn(),
    storeInterruption: jest.fn(),
    discardClaim: jest.fn(),
    releaseCall: jest.fn(),
  };
  const audit = { insertUnknownOutcome: jest.fn(), writeRows: jest.fn(), removeRow: jest.fn() };
  let service: IdempotentRelayCallsService;
  let afterCommit: () => void;

  beforeEach(async () => {
    jest.resetAllMocks();
    afterCommit = () => undefined;
    const provide = (token: unknown, useValue: object) => ({ provide: token as string, useValue });
    const module = await Test.createTestingModule({
      providers: [
        IdempotentRelayCallsService,
        provide(IdempotencyService, idempotency),
        provide(RelayAuditWriter, audit),
        provide(UnitOfWork, {
          runInTransaction: async (work: () => unknown) => {
            const result = await work();
            afterCommit();
            return result;
          },
        }),
        provide(Config, { publicUrl: 'https://service.example' }),
        provide(Clock, { now: () => 0 }),
      ],
    }).compile();
    module.useLogger(false);
    service = module.get(IdempotentRelayCallsService);
    idempotency.beginCall.mockResolvedValue({ kind: 'first', record: { callId: 'req_1' } });
  });

  const begin = async (): Promise<IdempotentRelayCall> => {
    const begun = await service.beginCall(CONTEXT, REQUEST);
    return (begun as { idempotentCall: IdempotentRelayCall }).idempotentCall;
  };
  const listStored = () => (idempotency.storeResponse.mock.calls as [object, StoredResponse][]).map(([, each]) => each);

  it('record an unknown outcome before they run, which stays if the process dies', async () => {
    await begin();
    expect(audit.insertUnknownOutcome).toHaveBeenCalledTimes(1);
    idempotency.beginCall.mockResolvedValue({ kind: 'replay', response: { ...ANSWER, headers: {} } });
    await service.beginCall(CONTEXT, REQUEST);
    expect(audit.insertUnknownOutcome).toHaveBeenCalledTimes(1);
  });

  it('without a key are neither recorded nor replayed', async () => {
    expect(await service.beginCall({ ...CONTEXT, idempotentRequest: null }, REQUEST)).toEqual({
      kind: 'run',
      idempotentCall: null,
    });
    expect(idempotency.beginCall).not.toHaveBeenCalled();
  });

  it('store their answer with their audit row', async () => {
    await (await begin()).storeReply(ANSWER, ROW);
    expect(audit.writeRows).toHaveBeenCalledWith([ROW]);
    expect(listStored()).toEqual([{ ...ANSWER, headers: {} }]);
  });

  it('free the key if they were not delivered', async () => {
    await (await begin()).storeReply(notDeliveredError('no_online_device'), ROW);
    expect(idempotency.discardClaim).toHaveBeenCalled();
    expect(idempotency.storeResponse).not.toHaveBeenCalled();
  });

  it('replace a time-out by the late answer, even if it is still being stored', async () => {
    let endStoring!: () => void;
    audit.writeRows.mockReturnValue(new Promise<void>((resolve) => (endStoring = resolve)));
    const call = await begin();
    const storing = call.storeReply(deviceDisconnectedError(), ROW);
    const replacing = call.replaceReply(ANSWER);
    await new Promise((resolve) => setImmediate(resolve));
    expect(listStored()).toEqual([]);
    endStoring();
    await Promise.all([storing, replacing]);
    expect(listStored().map(({ status }) => status)).toEqual([502, 200]);
  });

  it('that were interrupted are stored as unknown, and replayed so from then on', async () => {
    idempotency.beginCall.mockResolvedValue({ kind: 'interrupted', record: { callId: 'req_0' } });
    await expect(service.beginCall(CONTEXT, REQUEST)).rejects.toMatchObject({ status: 502 });
    const response = { status: 502, body: { requestId: 'req_0', outcome: 'unknown' } };
    expect(idempotency.storeInterruption.mock.calls).toMatchObject([[{ callId: 'req_0' }, response]]);
  });

  it('that were interrupted keep an answer that waits for the record meanwhile', async () => {
    const stored: number[] = [];
    idempotency.storeInterruption.mockImplementation((_, { status }: StoredResponse) => stored.push(status));
    idempotency.beginCall.mockResolvedValue({ kind: 'interrupted', record: { callId: 'req_0' } });
    // The instance of the first call is back. Its answer is stored as soon as the record is not locked any more.
    afterCommit = () => stored.push(200);
    await expect(service.beginCall(CONTEXT, REQUEST)).rejects.toMatchObject({ status: 502 });
    expect(stored).toEqual([502, 200]);
  });

  it.each([
    [200, 'answered'],
    [502, 'unknown'],
  ])('whose answer of status %d was not stored are %s', async (status, outcome) => {
    idempotency.beginCall.mockResolvedValue({ kind: 'not_kept', status, callId: 'req_0' });
    await expect(service.beginCall(CONTEXT, REQUEST)).rejects.toMatchObject({
      code: 'answer_not_kept',
      extras: { members: { firstStatus: status, firstRequestId: 'req_0', outcome } },
    });
  });

  it('are no longer running when the database fails at their start', async () => {
    idempotency.beginCall.mockRejectedValue(new Error('away'));
    await expect(service.beginCall(CONTEXT, REQUEST)).rejects.toThrow('away');
    expect(idempotency.releaseCall).toHaveBeenCalledWith('req_1');
  });

  describe('while the database is away', () => {
    let released: Promise<void>;
    beforeEach(() => {
      released = new Promise((resolve) => idempotency.releaseCall.mockImplementation(() => resolve()));
    });
    afterEach(() => service.onApplicationShutdown());

    it('are running until their reply is stored', async () => {
      const call = await begin();
      audit.writeRows.mockRejectedValueOnce(AWAY).mockRejectedValueOnce(AWAY);
      await call.storeReply(ANSWER, ROW);
      call.markFinished();
      expect(idempotency.releaseCall).not.toHaveBeenCalled();
      await released;
      expect(listStored()).toEqual([{ ...ANSWER, headers: {} }]);
    });

    it('free the key of a call that was not sent, once it is back', async () => {
      const call = await begin();
      idempotency.discardClaim.mockRejectedValueOnce(AWAY);
      await call.discardRecord();
      call.markFinished();
      expect(audit.removeRow).not.toHaveBeenCalled();
      await released;
      expect(audit.removeRow).toHaveBeenCalledWith('req_1');
    });

    it('free the key of a call whose record may be committed', async () => {
      audit.insertUnknownOutcome.mockRejectedValueOnce(AWAY);
      await expect(begin()).rejects.toBe(AWAY);
      await released;
      expect(idempotency.discardClaim).toHaveBeenCalledWith({ callId: 'req_1' });
    });

    it('store a late answer after the timeout that it replaces', async () => {
      const call = await begin();
      audit.writeRows.mockRejectedValueOnce(AWAY);
      await call.storeReply(deviceDisconnectedError(), ROW);
      await call.replaceReply(ANSWER);
      expect(listStored().map(({ status }) => status)).toEqual([502, 200]);
    });

    it('are not running after another error of the database', async () => {
      const call = await begin();
      audit.writeRows.mockRejectedValueOnce(new Error('no such column'));
      await call.storeReply(ANSWER, ROW);
      call.markFinished();
      expect(idempotency.releaseCall).toHaveBeenCalledWith('req_1');
    });
  });
});
