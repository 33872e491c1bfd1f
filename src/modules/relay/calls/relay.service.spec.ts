import { Logger } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../common/clock';
import { notFoundError, planLimitExceededError, type ApiError } from '../../../common/errors';
import { ShutdownState } from '../../../common/shutdown-state';
import { EventQuota } from '../../accounts';
import { RelayAuditWriter } from '../audit/relay-audit-writer';
import type { RelayCallEntity } from '../audit/relay-call.entity';
import {
  type DeviceAnswer,
  RelayBus,
  type NotDeliveredReason,
  type RelayCall,
  type CallOutcome,
} from '../../relay-bus';
import { RelayMetrics } from '../relay-metrics';
import { CallRouteResolver, type CallRoute } from './call-route-resolver';
import { CallHookRegistry, type CallHooks } from './call-hook-registry';
import { IdempotentRelayCallsService } from './idempotent-relay-calls.service';
import type { CallContext } from './call-context';
import { createCancelTurnRequest, createInvokeRequest } from './relay-request';
import { RelayService } from './relay.service';

const MEASURED = { deviceId: 'dev_1', routeMs: 2, deviceMs: 3 };
const ANSWERED: CallOutcome = {
  kind: 'answered',
  answer: { kind: 'result', result: { exitCode: 0 }, bytes: 14 },
  ...MEASURED,
};
const notDelivered = (reason: NotDeliveredReason): CallOutcome => ({ kind: 'not_delivered', reason, deviceId: null });

describe('RelayService', () => {
  let service: RelayService;
  let shutdownState: ShutdownState;
  let sendCall: (call: RelayCall) => Promise<CallOutcome>;
  let resolveRoute: () => Promise<CallRoute>;
  let cancelled: string[];
  let rows: RelayCallEntity[];
  let disconnection: AbortController;
  let hooks: CallHooks;
  let requireCapacity: () => Promise<void>;

  beforeEach(async () => {
    sendCall = () => Promise.resolve(ANSWERED);
    resolveRoute = () => Promise.resolve({ candidates: [{ deviceId: 'dev_1' }] });
    requireCapacity = () => Promise.resolve();
    [cancelled, rows, disconnection, hooks] = [[], [], new AbortController(), {}];
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
        { provide: EventQuota, useValue: { requireCapacity: () => requireCapacity() } },
        {
          provide: RelayMetrics,
          useValue: { observeCall: () => undefined, lateAnswerCounter: { inc: () => undefined } },
        },
        { provide: RelayAuditWriter, useValue: { enqueueRow: (row: RelayCallEntity) => rows.push(row) } },
        { provide: CallHookRegistry, useValue: { createHooks: () => hooks } },
        { provide: CallRouteResolver, useValue: { resolveRoute: () => resolveRoute() } },
        {
          provide: IdempotentRelayCallsService,
          useValue: { beginCall: () => Promise.resolve({ kind: 'run', idempotentCall: null }) },
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
      idempotentRequest: null,
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

  it.each([
    ['At most 4 agents at a time.\u202e', ' At most 4 agents at a time.\ufffd'],
    ['', ''],
    [' ', ''],
  ])('passes on why a device refuses a call, without invisible characters: %j', async (message, reason) => {
    const error = { code: 'busy', message };
    sendCall = () => Promise.resolve({ kind: 'answered', answer: { kind: 'error', error, bytes: 60 }, ...MEASURED });
    const detail = `The device does not accept this call now.${reason}`;
    expect(await findError()).toMatchObject({ code: 'device_busy', message: detail });
  });

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

  it.each<{ name: string; result: CallOutcome; code: string; outcome: string; retryAfter?: string }>([
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
      expect(error?.extras).toEqual({ members: { outcome: 'not_delivered' }, headers: { 'Retry-After': '1' } });
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

  it('runs the hooks of the method before sending, on the reply and on a late answer', async () => {
    const steps: unknown[] = [];
    hooks = {
      beforeSending: () => Promise.resolve(void steps.push('before')),
      onReply: (reply, answer, deviceId) => {
        steps.push([reply, answer, deviceId]);
        return Promise.resolve(reply);
      },
    };
    let answerLate: RelayCall['onLateAnswer'] = () => undefined;
    sendCall = ({ onLateAnswer }) => {
      steps.push('sent');
      answerLate = onLateAnswer;
      return Promise.resolve({ kind: 'unknown', reason: 'timeout', ...MEASURED });
    };
    expect((await findError())?.code).toBe('timeout');
    expect(steps).toMatchObject(['before', 'sent', [{ code: 'timeout' }, null, MEASURED.deviceId]]);
    const answer: DeviceAnswer = { kind: 'result', result: { exitCode: 0 }, bytes: 14 };
    answerLate(answer, 'dev_2');
    const body = { requestId: 'req_1', result: { exitCode: 0 } };
    expect(steps.at(-1)).toEqual([{ status: 200, body }, answer, 'dev_2']);
  });

  it('sends nothing if a hook refuses the call', async () => {
    hooks = { beforeSending: () => Promise.reject(notFoundError('machine')) };
    sendCall = () => Promise.reject(new Error('The call was sent.'));
    expect((await findError())?.code).toBe('not_found');
    expect(rows).toEqual([]);
  });

  it('sends only calls that end something once the events of the day are used up', async () => {
    requireCapacity = () => Promise.reject(planLimitExceededError('No more events today.', 1));
    sendCall = () => Promise.resolve(notDelivered('no_online_device'));
    expect((await findError())?.code).toBe('plan_limit_exceeded');
    const context = createContext();
    const cancelling = service.runCall(context, createCancelTurnRequest(context, 'ses_1', 'turn_1'));
    await expect(cancelling).rejects.toMatchObject({ code: 'no_online_device' });
  });

  it('returns what a hook makes of the reply', async () => {
    const reply = { status: 200, body: { requestId: 'req_1', result: { other: true } } } as const;
    hooks = { onReply: () => Promise.resolve(reply) };
    expect((await runCall()).reply).toBe(reply);
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
