import { Test } from '@nestjs/testing';
import type { Principal } from '../../../access/auth';
import type { ApiError } from '../../../common/errors';
import { InvocationsService } from '../../invocations';
import { MachinesService } from '../../machines';
import { PermissionDecisionsService } from '../../permission-requests';
import { SessionsService } from '../../sessions';
import { TurnsService, type TurnRow } from '../../turns';
import { CallRouteResolver } from './call-route-resolver';
import type { UnsentRequest } from './relay-request';

const CALLER = { kind: 'device', accountId: 'acc_1' } as Principal;
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
        {
          provide: SessionsService,
          useValue: {
            getSessionRoute: () => Promise.resolve(route),
            findMachineId: () => Promise.resolve(route.machineId),
          },
        },
      ],
    }).compile();
    resolver = module.get(CallRouteResolver);
  });

  it('sends a command to the device of the machine, and to no other', async () => {
    expect(await resolver.resolveRoute(CALLER, INVOKE)).toEqual({
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
    expect(await resolver.resolveRoute(CALLER, MESSAGE)).toEqual({ candidates: row.candidates });
  });

  it('rejects a message to a session that has ended', async () => {
    route = { state: 'ended', hostDeviceId: 'dev_host', machineId: null };
    const error = await resolver.resolveRoute(CALLER, MESSAGE).catch((reason: ApiError) => reason);
    expect(error).toMatchObject({ code: 'session_not_active' });
  });

  it.each(['queued', 'running', 'requires_action', 'lost'] as const)(
    'sends the cancellation of a turn that is %s to the device of the turn, and to no other',
    async (state) => {
      turn = { device_id: 'dev_turn', state } as TurnRow;
      expect(await resolver.resolveRoute(CALLER, CANCELLATION)).toEqual({ candidates: [{ deviceId: 'dev_turn' }] });
    },
  );

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'asks no device to cancel a turn that is %s',
    async (state) => {
      turn = { device_id: 'dev_turn', state } as TurnRow;
      expect(await resolver.resolveRoute(CALLER, CANCELLATION)).toEqual({ candidates: null, result: { state } });
    },
  );

  it('rejects the cancellation of a turn that no device has reported', async () => {
    turn = undefined;
    const error = await resolver.resolveRoute(CALLER, CANCELLATION).catch((reason: ApiError) => reason);
    expect(error).toMatchObject({ code: 'not_found' });
  });

  it('sends a decision to the device of the request, and to no other', async () => {
    const decision = { method: 'session.permission', sessionId: 'ses_1', params: { localId: 'p1' } } as UnsentRequest;
    expect(await resolver.resolveRoute(CALLER, decision)).toEqual({
      candidates: [{ deviceId: 'device of ses_1/p1' }],
    });
  });

  it.each(['session.start', 'invocation.start'] as const)(
    'sends %s to the device of the machine, and to no other',
    async (method) => {
      const start = { method, machineId: 'mch_1' } as UnsentRequest;
      expect(await resolver.resolveRoute(CALLER, start)).toEqual({
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
      expect(await resolver.resolveRoute(CALLER, STOP)).toEqual({ candidates: [{ deviceId: 'dev_inv' }] });
    },
  );

  it.each(['completed', 'cancelled', 'timed_out', 'failed'])(
    'asks no device to cancel an invocation that is %s',
    async (state) => {
      setInvocation(state);
      expect(await resolver.resolveRoute(CALLER, STOP)).toEqual({ candidates: null, result: { state } });
    },
  );

  it('asks the device for the output of an invocation that has ended', async () => {
    setInvocation('completed');
    const read = { method: 'invocation.output', machineId: 'mch_1', params } as UnsentRequest;
    expect(await resolver.resolveRoute(CALLER, read)).toEqual({ candidates: [{ deviceId: 'dev_inv' }] });
  });

  const END = { method: 'session.end', sessionId: 'ses_1' } as UnsentRequest;

  it('sends the end of a session to its host or its machine, never to another account device', async () => {
    route = { state: 'active', hostDeviceId: 'dev_host', machineId: 'mch_1' };
    const candidates = [{ deviceId: 'dev_host' }, { deviceId: 'device of acc_1/mch_1' }];
    expect(await resolver.resolveRoute(CALLER, END)).toEqual({ candidates });
  });

  it.each(['session.options', 'session.configure'] as const)(
    'sends %s to the host of an active session or its machine, never to another account device',
    async (method) => {
      const request = { method, sessionId: 'ses_1', params: {} } as UnsentRequest;
      route = { state: 'active', hostDeviceId: 'dev_host', machineId: null };
      expect(await resolver.resolveRoute(CALLER, request)).toEqual({ candidates: [{ deviceId: 'dev_host' }] });
      route = { state: 'ended', hostDeviceId: 'dev_host', machineId: null };
      await expect(resolver.resolveRoute(CALLER, request)).rejects.toMatchObject({ code: 'session_not_active' });
    },
  );

  it('asks no device to end a session that has ended', async () => {
    route = { state: 'ended', hostDeviceId: 'dev_host', machineId: null };
    expect(await resolver.resolveRoute(CALLER, END)).toEqual({ candidates: null, result: { state: 'ended' } });
  });

  describe('of a token that is limited to machines', () => {
    const limited = (...machineIds: string[]) =>
      ({ kind: 'token', accountId: 'acc_1', machineIds }) as unknown as Principal;
    const resolve = (request: UnsentRequest, ...machineIds: string[]) =>
      resolver.resolveRoute(limited(...machineIds), request).catch(({ code }: ApiError) => code);
    const machineDevice = { deviceId: 'device of acc_1/mch_1' };

    it('sends calls to the devices of its machines, and of no other', async () => {
      expect(await resolve(INVOKE, 'mch_2', 'mch_1')).toEqual({ candidates: [machineDevice] });
      for (const machineIds of [['mch_2'], []])
        expect(await resolve(INVOKE, ...machineIds)).toBe('machine_not_allowed');
    });

    it('sends messages to the device of the session’s machine, never to another host or account device', async () => {
      route = { state: 'active', hostDeviceId: 'dev_host', machineId: 'mch_1' };
      expect(await resolve(MESSAGE, 'mch_1')).toEqual({ candidates: [machineDevice] });
      expect(await resolve(MESSAGE, 'mch_2')).toBe('machine_not_allowed');
      route = { state: 'active', hostDeviceId: 'dev_host', machineId: null };
      expect(await resolve(MESSAGE, 'mch_1')).toBe('machine_not_allowed');
    });

    it('reads the options of any session', async () => {
      route = { state: 'active', hostDeviceId: null, machineId: 'mch_1' };
      const [read, change] = ['session.options', 'session.configure'].map(
        (method) => ({ method, sessionId: 'ses_1' }) as UnsentRequest,
      );
      expect(await resolve(read!, 'mch_2')).toEqual({ candidates: [machineDevice] });
      expect(await resolve(change!, 'mch_2')).toBe('machine_not_allowed');
    });

    it('sends nothing about turns and requests of other devices in a session of its machine', async () => {
      route = { state: 'active', hostDeviceId: null, machineId: 'mch_1' };
      turn = { device_id: 'dev_turn', state: 'running' } as TurnRow;
      expect(await resolve(CANCELLATION, 'mch_1')).toBe('machine_not_allowed');
      turn = { device_id: 'device of acc_1/mch_1', state: 'running' } as TurnRow;
      expect(await resolve(CANCELLATION, 'mch_1')).toEqual({ candidates: [machineDevice] });
    });

    it('makes queued messages wait for the device of the session’s machine only', async () => {
      const find = (machineIds: string[] | null) => resolver.findQueuedMessageCandidates('acc_1', 'ses_1', machineIds);
      route = { state: 'active', hostDeviceId: 'dev_host', machineId: 'mch_1' };
      expect(await find(['mch_1'])).toEqual([machineDevice]);
      expect(await find(null)).toEqual([{ deviceId: 'dev_host' }, machineDevice]);
      route = { state: 'active', hostDeviceId: null, machineId: null };
      expect(await find(null)).toEqual([newest]);
      await expect(find(['mch_1'])).rejects.toMatchObject({ code: 'machine_not_allowed' });
    });
  });
});
