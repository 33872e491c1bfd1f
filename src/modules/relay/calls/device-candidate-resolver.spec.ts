import { Test } from '@nestjs/testing';
import type { ApiError } from '../../../common/errors';
import { MachinesService } from '../../machines';
import { SessionsService } from '../../sessions';
import { DeviceCandidateResolver } from './device-candidate-resolver';
import type { UnsentRequest } from './relay-request';

const MESSAGE = { method: 'session.message', sessionId: 'ses_1' } as UnsentRequest;
const INVOCATION = { method: 'machine.invoke', machineId: 'mch_1' } as UnsentRequest;

describe('DeviceCandidateResolver', () => {
  let route: Awaited<ReturnType<SessionsService['getSessionRoute']>>;
  let resolver: DeviceCandidateResolver;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      providers: [
        DeviceCandidateResolver,
        {
          provide: MachinesService,
          useValue: { getDeviceId: (accountId: string, id: string) => Promise.resolve(`device of ${accountId}/${id}`) },
        },
        { provide: SessionsService, useValue: { getSessionRoute: () => Promise.resolve(route) } },
      ],
    }).compile();
    resolver = module.get(DeviceCandidateResolver);
  });

  it('sends an invocation to the device of the machine, and to no other', async () => {
    expect(await resolver.findCandidates('acc_1', INVOCATION)).toEqual([{ deviceId: 'device of acc_1/mch_1' }]);
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
    expect(await resolver.findCandidates('acc_1', MESSAGE)).toEqual(row.candidates);
  });

  it('rejects a message to a session that has ended', async () => {
    route = { state: 'ended', hostDeviceId: 'dev_host', machineId: null };
    const error = await resolver.findCandidates('acc_1', MESSAGE).catch((reason: ApiError) => reason);
    expect(error).toMatchObject({ code: 'session_not_active' });
  });
});
