import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../common/clock';
import { notFoundError, type ApiError } from '../../../common/errors';
import { ShutdownState } from '../../../common/shutdown-state';
import { RelayAuditWriter } from '../audit/relay-audit-writer';
import type { RelayCallEntity } from '../audit/relay-call.entity';
import type { DeviceAnswer } from '../bus/device-answer';
import { RelayBus } from '../bus/relay-bus';
import type { NotDeliveredReason, RelayCall, RelayResult } from '../bus/relay-call';
import { RelayMetrics } from '../relay-metrics';
import { CallRouteResolver, type CallRoute } from './call-route-resolver';
import { DecisionRecorder, type SentDecision } from './decision-recorder';
import { IdempotentRelayCallsService } from './idempotent-relay-calls.service';
import type { CallContext } from './call-context';
import { InvocationRecorder } from './invocation-recorder';
import { createDecidePermissionRequest, createInvokeRequest } from './relay-request';
import { RelayService } from './relay.service';

const MEASURED = { deviceId: 'dev_1', routeMs: 2, deviceMs: 3 };
const ANSWERED: RelayResult = {
  kind: 'answered',
  answer: { kind: 'result', result: { exitCode: 0 }, bytes: 14 },
  ...MEASURED,
};
const notDelivered = (reason: NotDeliveredReason): RelayResult => ({ kind: 'not_delivered', reason, deviceId: null });

describe('RelayService', () => {
  let service: RelayService;
  let shutdownState: ShutdownState;
  let sendCall: (call: RelayCall) => Promise<RelayResult>;
  let resolveRoute: () => Promise<CallRoute>;
  let cancelled: string[];
  let rows: RelayCallEntity[];
  let disconnection: AbortController;
  const recordAnswer = jest.fn<Promise<void>, [SentDecision, DeviceAnswer]>(() => Promise.resolve());

  beforeEach(async () => {
    sendCall = () => Promise.resolve(ANSWERED);
    resolveRoute = () => Promise.resolve({ candidates: [{ deviceId: 'dev_1' }] });
    [cancelled, rows, disconnection] = [[], [], new AbortController()];
    const bus = {
      sendCall: (call: RelayCall) => sendCall(call),
      cancelCall: (requestId: string, reason: string) => cancelled.push(`${requestId} ${reason}`),
      getServerTime: () => 1_000_000,
    };
    const module = await Test.createTestingModule({
      providers: [
        RelayService,
        Clock,
        ShutdownState,
        { provide: RelayBus, useValue: bus },
        {
          provide: RelayMetrics,
          useValue: { observeCall: () => undefined, lateAnswerCounter: { inc: () => undefined } },
        },
        { provide: RelayAuditWriter, useValue: { enqueueRow: (row: RelayCallEntity) => rows.push(row) } },
        { provide: DecisionRecorder, useValue: { recordAnswer } },
        { provide: InvocationRecorder, useValue: {} },
        { provide: CallRouteResolver, useValue: { resolveRoute: () => resolveRoute() } },
        {
          provide: IdempotentRelayCallsService,
          useValue: { beginCall: () => Promise.resolve({ kind: 'run', keyed: null }) },
        },
      ],
    }).compile();
    service = module.get(RelayService);
    shutdownState = module.get(ShutdownState);
    jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  });
  afterEach(() => jest.restoreAllMocks());

  const createContext = () =>
    ({
      requestId: 'req_1',
      caller: { accountId: 'acc_1', tokenId: 'tok_1', appId: null },
      idempotencyKey: null,
      disconnectSignal: disconnection.signal,
    }) as unknown as CallContext;
  const runCall = () => {
    const context = createContext();
    return service.runCall(context, createInvokeRequest(context, 'mch_1', { command: 'ls', timeoutMs: 5_000 }));
  };
  const findError = () =>
    runCall().then(
      () => null,
      (error: ApiError) => error,
    );

  it('returns the result of the device', async () => {
    expect(await runCall()).toEqual({
      reply: { status: 200, body: { requestId: 'req_1', result: { exitCode: 0 } } },
      replayed: false,
    });
    expect(rows).toMatchObject([{ status: 200, outcome: 'answered', deviceId: 'dev_1', resultBytes: 14 }]);
  });

  it('returns and audits a result that is known without a device', async () => {
    resolveRoute = () => Promise.resolve({ candidates: null, result: { state: 'ended' } });
    sendCall = () => Promise.reject(new Error('The call was sent.'));
    expect((await runCall()).reply.body).toEqual({ requestId: 'req_1', result: { state: 'ended' } });
    expect(rows).toMatchObject([{ status: 200, outcome: 'answered', deviceId: null, deviceMs: null }]);
  });

  it('gives the device its timeout and a second to start, and waits two seconds longer for the answer', async () => {
    const calls: RelayCall[] = [];
    sendCall = (call) => {
      calls.push(call);
      return Promise.resolve(ANSWERED);
    };
    const monotonicMs = jest.spyOn(Clock.prototype, 'monotonicMs').mockReturnValueOnce(0).mockReturnValue(100);
    await runCall();
    expect(monotonicMs).toHaveBeenCalled();
    expect(calls).toMatchObject([{ answerTimeoutMs: 6_900, request: { timeoutMs: 5_000, deadline: 1_006_000 } }]);
  });

  it.each<{ name: string; result: RelayResult; code: string; outcome: string; retryAfter?: string }>([
    {
      name: 'no device is online',
      result: notDelivered('no_online_device'),
      code: 'no_online_device',
      outcome: 'not_delivered',
      retryAfter: '10',
    },
    {
      name: 'the device is busy',
      result: notDelivered('device_busy'),
      code: 'device_busy',
      outcome: 'not_delivered',
      retryAfter: '1',
    },
    {
      name: 'the relay is unavailable',
      result: notDelivered('relay_unavailable'),
      code: 'relay_unavailable',
      outcome: 'not_delivered',
      retryAfter: '2',
    },
    {
      name: 'the device does not answer in time',
      result: { kind: 'unknown', reason: 'timeout', ...MEASURED },
      code: 'timeout',
      outcome: 'unknown',
    },
    {
      name: 'the device disconnects',
      result: { kind: 'unknown', reason: 'device_disconnected', ...MEASURED },
      code: 'device_disconnected',
      outcome: 'unknown',
    },
    {
      name: 'the device refuses the call',
      result: { kind: 'answered', answer: { kind: 'error', error: { code: 'busy', message: 'm' } }, ...MEASURED },
      code: 'device_busy',
      outcome: 'not_delivered',
      retryAfter: '5',
    },
    {
      name: 'the device answers with an error',
      result: { kind: 'answered', answer: { kind: 'error', error: { code: 'spawn', message: 'm' } }, ...MEASURED },
      code: 'device_error',
      outcome: 'answered',
    },
  ])('says whether the call ran, to the caller and in the audit: $name', async (row) => {
    sendCall = () => Promise.resolve(row.result);
    const error = await findError();
    expect(error?.code).toBe(row.code);
    expect(error?.extras.members).toMatchObject({ outcome: row.outcome });
    expect(error?.extras.headers?.['Retry-After']).toBe(row.retryAfter);
    expect(rows).toMatchObject([{ code: row.code, outcome: row.outcome }]);
  });

  it('leaves open whether the call ran after an unexpected error of the bus', async () => {
    sendCall = () => Promise.reject(new TypeError('unexpected'));
    const error = await findError();
    expect(error?.code).toBe('device_disconnected');
    expect(error?.extras.members).toEqual({ outcome: 'unknown' });
  });

  describe('sends nothing', () => {
    beforeEach(() => {
      sendCall = () => Promise.reject(new Error('The call was sent.'));
    });
    afterEach(() => expect(rows).toEqual([]));

    it('while the instance shuts down', async () => {
      shutdownState.startClosing();
      const error = await findError();
      expect(error?.code).toBe('service_unavailable');
      expect(error?.extras.members).toEqual({ outcome: 'not_delivered' });
    });

    it('if the database is not available', async () => {
      resolveRoute = () => Promise.reject(new Error('Connection terminated unexpectedly'));
      const error = await findError();
      expect(error?.code).toBe('relay_unavailable');
      expect(error?.extras.members).toEqual({ outcome: 'not_delivered' });
    });

    it('if the machine does not exist', async () => {
      resolveRoute = () => Promise.reject(notFoundError('machine'));
      expect((await findError())?.code).toBe('not_found');
    });
  });

  it('records a decision that the device confirms after the caller got a timeout', async () => {
    let answerLate: (answer: DeviceAnswer) => void = () => undefined;
    sendCall = ({ onLateAnswer }) => {
      answerLate = onLateAnswer;
      return Promise.resolve({ kind: 'unknown', reason: 'timeout', ...MEASURED });
    };
    const context = createContext();
    const params = { localId: 'p1', optionId: 'o1', contentHash: 'hash' };
    const call = service.runCall(context, createDecidePermissionRequest(context, 'ses_1', params));
    await expect(call).rejects.toMatchObject({ code: 'timeout' });
    expect(recordAnswer).not.toHaveBeenCalled();
    const confirmation: DeviceAnswer = { kind: 'result', result: { state: 'allowed', optionId: 'o1' }, bytes: 35 };
    answerLate(confirmation);
    const decidedBy = { tokenId: 'tok_1', deviceId: null };
    const decision = { accountId: 'acc_1', decidedBy, sessionId: 'ses_1', localId: 'p1', optionId: 'o1' };
    expect(recordAnswer.mock.calls).toEqual([[{ requestId: 'req_1', ...decision }, confirmation]]);
  });

  it('serves calls while the instance is draining', async () => {
    shutdownState.startDraining();
    expect((await runCall()).reply.body).toEqual({ requestId: 'req_1', result: { exitCode: 0 } });
  });

  describe('cancels the call of a caller who disconnects', () => {
    it('during the call', async () => {
      sendCall = async () => {
        await Promise.resolve();
        disconnection.abort();
        return ANSWERED;
      };
      await runCall();
      expect(cancelled).toEqual(['req_1 caller_gone']);
    });

    it('before it is sent', async () => {
      disconnection.abort();
      await runCall();
      expect(cancelled).toEqual(['req_1 caller_gone']);
    });

    it('but not after the answer', async () => {
      await runCall();
      disconnection.abort();
      expect(cancelled).toEqual([]);
    });
  });
});
