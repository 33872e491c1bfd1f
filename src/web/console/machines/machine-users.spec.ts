import type { Scope } from '../../../access/auth';
import type { AuthorizedAppDto } from '../../../modules/developer-apps';
import type { ExternalTokenDto } from '../../../modules/personal-access-tokens';
import { listMachineUsers } from './machine-users';

const token = (name: string, scopes: Scope[], changes: Partial<ExternalTokenDto> = {}) =>
  ({ id: name, name, scopes, state: 'active', machineIds: null, ...changes }) as ExternalTokenDto;

describe('who may use a machine', () => {
  it('are active tokens that aren’t limited to others, and apps, with scopes that act', () => {
    const tokens = [
      token('deploys', ['machines:invoke', 'sessions:write']),
      token('reader', ['sessions:read']),
      token('old', ['machines:invoke'], { state: 'expired' }),
      token('here', ['sessions:approve'], { machineIds: ['mch_1', 'mch_2'] }),
      token('elsewhere', ['machines:invoke'], { machineIds: ['mch_2'] }),
    ];
    const apps = [{ clientId: 'app_1', name: 'Notes', scopes: ['sessions:write'] }] as AuthorizedAppDto[];
    expect(listMachineUsers('mch_1', tokens, apps).map(({ name, kind, uses }) => [name, kind, uses])).toEqual([
      ['deploys', 'Token', 'run commands and start sessions, send messages to its agents'],
      ['here', 'Token', 'decide on what agents ask'],
      ['Notes', 'App', 'send messages to its agents'],
    ]);
  });
});
