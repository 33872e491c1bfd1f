import { Test } from '@nestjs/testing';
import type { DevicePrincipal } from '../../access/auth';
import type { SessionRow } from './session.response.dto';
import { SessionAuthorizer } from './session-authorizer';
import { SessionsRepository } from './sessions.repository';

const ROW = { id: 'ses_1', host_device_id: 'dev_host' } as SessionRow;

describe('SessionAuthorizer', () => {
  let row: SessionRow | undefined;
  let queries: string[];
  let authorizer: SessionAuthorizer;

  beforeEach(async () => {
    row = ROW;
    queries = [];
    const query = (name: string) => (accountId: string, id: string) => {
      queries.push(`${name} ${accountId} ${id}`);
      return Promise.resolve(row);
    };
    const module = await Test.createTestingModule({
      providers: [
        SessionAuthorizer,
        { provide: SessionsRepository, useValue: { lockSession: query('lock'), find: query('find') } },
      ],
    }).compile();
    authorizer = module.get(SessionAuthorizer);
  });

  const device = (deviceKind: 'account' | 'machine', deviceId: string) =>
    ({ accountId: 'acc_1', deviceKind, deviceId }) as DevicePrincipal;

  describe.each(['lockSession', 'getSession'] as const)('%s', (method) => {
    it.each([
      { name: 'an account device', caller: device('account', 'dev_1') },
      { name: 'the machine device that hosts the session', caller: device('machine', 'dev_host') },
    ])('returns the session to $name', async ({ caller }) => {
      expect(await authorizer[method](caller, 'ses_1')).toBe(ROW);
    });

    it.each([
      { name: 'of another host', found: ROW, code: 'forbidden' },
      { name: 'without a host', found: { ...ROW, host_device_id: null }, code: 'forbidden' },
      { name: 'that does not exist', found: undefined, code: 'not_found' },
    ])('refuses a machine device a session $name', async ({ found, code }) => {
      row = found;
      await expect(authorizer[method](device('machine', 'dev_1'), 'ses_1')).rejects.toMatchObject({ code });
    });
  });

  it('looks in the account of the device only, and locks only if asked to', async () => {
    await authorizer.getSession(device('account', 'dev_1'), 'ses_1');
    await authorizer.lockSession(device('account', 'dev_1'), 'ses_1');
    expect(queries).toEqual(['find acc_1 ses_1', 'lock acc_1 ses_1']);
  });
});
