import { Test } from '@nestjs/testing';
import type { ApiError } from '../../../common/errors';
import { InvocationsService } from '../../invocations';
import { MachinesService } from '../../machines';
import { PermissionDecisionsService } from '../../permission-requests';
import { SessionsService } from '../../sessions';
import { TurnsService, type TurnRow } from '../../turns';
import { CallRouteResolver } from './call-route-resolver';
import type { UnsentRequest } from './relay-request';

const MESSAGE = { method: 'session.message', sessionId: 'ses_1' } as UnsentRequest;
const CANCELLATION = { method: 'session.cancel', sessionId: 'ses_1', params: { turnId: 'turn_1' } } as UnsentRequest;
const INVOKE = { method: 'machine.invoke', machineId: 'mch_1' } as UnsentRequest;

describe('CallRouteResolver', () => {
  let route: Awaited<ReturnType<SessionsService['getSessionRoute']>>;
  let turn: TurnRow | undefined;
  let invocation: Awaited<ReturnType<InvocationsService['requireInvocation']>>;
  let resolver: CallRouteResolver;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      providers: [
        CallRouteResolver,
        {
          provide: MachinesService,
          useValue: { getDeviceId: (accountId: string, id: string) => Promise.resolve(`device of ${accountId}/${id}`) },
        },
        { provide: InvocationsService, useValue: { requireInvocation: () => Promise.resolve(invocation) } },
        { provide: TurnsService, useValue: { findTurn: () => Promise.resolve(turn) } },
        {
          provide: PermissionDecisionsService,
          useValue: {
            getPendingDeviceId: (sessionId: string, localId: string) =>
              Promise.resolve(`device of ${sessionId}/${localId}`),
          },
        },
        { provide: SessionsService, useValue: { getSessionRoute: () => Promise.resolve(route) } },
      ],
    }).compile();
    resolver = module.get(CallRouteResolver);
  });

  it('sends a command to the device of the machine, and to no other', async () => {
    expect(await resolver.resolveRoute('acc_1', INVOKE)).toEqual({
      candidates: [{ deviceId: 'device of acc_1/mch_1' }],
    });
  });

  const newest = { newest: 'account' };
  it.each([
    {
      session: 'with a host and a machine',
      ids: { hostDeviceId: 'dev_host', machineId: 'mch_1' },
      candidates: [{ deviceId: 'dev_host' }, { deviceId: 'device of acc_1/mch_1' }, newest],
    },
    {
      session: 'with a host only',
      ids: { hostDeviceId: 'dev_host', machineId: null },
      candidates: [{ deviceId: 'dev_host' }, newest],
    },
    {
      session: 'with a machine only',
      ids: { hostDeviceId: null, machineId: 'mch_1' },
      candidates: [{ deviceId: 'device of acc_1/mch_1' }, newest],
    },
    { session: 'with neither', ids: { hostDeviceId: null, machineId: null }, candidates: [newest] },
  ])('prefers host, machine and newest account device, in this order: a session $session', async (row) => {
    route = { state: 'active', ...row.ids };
    expect(await resolver.resolveRoute('acc_1', MESSAGE)).toEqual({ candidates: row.candidates });
  });

  it('rejects a message to a session that has ended', async () => {
    route = { state: 'ended', hostDeviceId: 'dev_host', machineId: null };
    const error = await resolver.resolveRoute('acc_1', MESSAGE).catch((reason: ApiError) => reason);
    expect(error).toMatchObject({ code: 'session_not_active' });
  });

  it.each(['queued', 'running', 'requires_action', 'lost'] as const)(
    'sends the cancellation of a turn that is %s to the device of the turn, and to no other',
    async (state) => {
      turn = { device_id: 'dev_turn', state } as TurnRow;
      expect(await resolver.resolveRoute('acc_1', CANCELLATION)).toEqual({ candidates: [{ deviceId: 'dev_turn' }] });
    },
  );

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'asks no device to cancel a turn that is %s',
    async (state) => {
      turn = { device_id: 'dev_turn', state } as TurnRow;
      expect(await resolver.resolveRoute('acc_1', CANCELLATION)).toEqual({ candidates: null, result: { state } });
    },
  );

  it('rejects the cancellation of a turn that no device has reported', async () => {
    turn = undefined;
    const error = await resolver.resolveRoute('acc_1', CANCELLATION).catch((reason: ApiError) => reason);
    expect(error).toMatchObject({ code: 'not_found' });
  });

  it('sends a decision to the device of the request, and to no other', async () => {
    const decision = { method: 'session.permission', sessionId: 'ses_1', params: { localId: 'p1' } } as UnsentRequest;
    expect(await resolver.resolveRoute('acc_1', decision)).toEqual({
      candidates: [{ deviceId: 'device of ses_1/p1' }],
    });
  });

  it.each(['session.start', 'invocation.start'] as const)(
    'sends %s to the device of the machine, and to no other',
    async (method) => {
      const start = { method, machineId: 'mch_1' } as UnsentRequest;
      expect(await resolver.resolveRoute('acc_1', start)).toEqual({
        candidates: [{ deviceId: 'device of acc_1/mch_1' }],
      });
    },
  );

  const params = { invocationId: 'inv_1' };
  const STOP = { method: 'invocation.cancel', machineId: 'mch_1', params } as UnsentRequest;
  const setInvocation = (state: string) => (invocation = { device_id: 'dev_inv', state } as typeof invocation);

  it.each(['starting', 'running', 'lost'])(
    'sends the cancellation of an invocation that is %s to its device, and to no other',
    async (state) => {
      setInvocation(state);
      expect(await resolver.resolveRoute('acc_1', STOP)).toEqual({ candidates: [{ deviceId: 'dev_inv' }] });
    },
  );

  it.each(['completed', 'cancelled', 'timed_out', 'failed'])(
    'asks no device to cancel an invocation that is %s',
    async (state) => {
      setInvocation(state);
      expect(await resolver.resolveRoute('acc_1', STOP)).toEqual({ candidates: null, result: { state } });
    },
  );

  it('asks the device for the output of an invocation that has ended', async () => {
    setInvocation('completed');
    const read = { method: 'invocation.output', machineId: 'mch_1', params } as UnsentRequest;
    expect(await resolver.resolveRoute('acc_1', read)).toEqual({ candidates: [{ deviceId: 'dev_inv' }] });
  });

  const END = { method: 'session.end', sessionId: 'ses_1' } as UnsentRequest;

  it('sends the end of a session to its host or its machine, never to another account device', async () => {
    route = { state: 'active', hostDeviceId: 'dev_host', machineId: 'mch_1' };
    const candidates = [{ deviceId: 'dev_host' }, { deviceId: 'device of acc_1/mch_1' }];
    expect(await resolver.resolveRoute('acc_1', END)).toEqual({ candidates });
  });

  it('asks no device to end a session that has ended', async () => {
    route = { state: 'ended', hostDeviceId: 'dev_host', machineId: null };
    expect(await resolver.resolveRoute('acc_1', END)).toEqual({ candidates: null, result: { state: 'ended' } });
  });
});
