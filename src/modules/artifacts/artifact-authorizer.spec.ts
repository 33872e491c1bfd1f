import { Test } from '@nestjs/testing';
import type { DevicePrincipal } from '../../access/auth';
import { SessionsService } from '../sessions';
import { ArtifactAuthorizer } from './artifact-authorizer';
import type { ArtifactRow } from './artifact.response.dto';
import { ArtifactsRepository } from './artifacts.repository';

const ROW = { id: 'art_1', host_device_id: 'dev_host', session_id: null } as ArtifactRow;

describe('ArtifactAuthorizer', () => {
  let row: ArtifactRow | undefined;
  let queries: string[];
  let authorizer: ArtifactAuthorizer;

  beforeEach(async () => {
    row = ROW;
    queries = [];
    const query = (name: string) => (accountId: string, id: string) => {
      queries.push(`${name} ${accountId} ${id}`);
      return Promise.resolve(row);
    };
    const repository = {
      lockArtifact: query('lock'),
      findWithContent: query('find with content'),
      find: query('find'),
    };
    const sessions = {
      getSessionRoute: (_: string, sessionId: string) =>
        Promise.resolve({ hostDeviceId: sessionId === 'ses_1' ? 'dev_1' : null }),
    };
    const module = await Test.createTestingModule({
      providers: [
        ArtifactAuthorizer,
        { provide: ArtifactsRepository, useValue: repository },
        { provide: SessionsService, useValue: sessions },
      ],
    }).compile();
    authorizer = module.get(ArtifactAuthorizer);
  });

  const device = (deviceKind: 'account' | 'machine', deviceId: string) =>
    ({ accountId: 'acc_1', deviceKind, deviceId }) as DevicePrincipal;

  describe.each(['lockArtifact', 'getArtifactWithContent', 'getArtifact'] as const)('%s', (method) => {
    it.each([
      { name: 'an account device', caller: device('account', 'dev_1') },
      { name: 'the machine device that hosts the artifact', caller: device('machine', 'dev_host') },
    ])('returns the artifact to $name', async ({ caller }) => {
      expect(await authorizer[method](caller, 'art_1')).toBe(ROW);
    });

    it.each([
      { name: 'of another host', found: ROW, code: 'forbidden' },
      { name: 'without a host', found: { ...ROW, host_device_id: null }, code: 'forbidden' },
      { name: 'that does not exist', found: undefined, code: 'not_found' },
    ])('refuses a machine device an artifact $name', async ({ found, code }) => {
      row = found;
      await expect(authorizer[method](device('machine', 'dev_1'), 'art_1')).rejects.toMatchObject({ code });
    });
  });

  it('lets the machine device that hosts the session read an artifact of it, and nothing more', async () => {
    row = { ...ROW, session_id: 'ses_1' };
    expect(await authorizer.getArtifactWithContent(device('machine', 'dev_1'), 'art_1')).toBe(row);
    for (const method of ['getArtifact', 'lockArtifact'] as const)
      await expect(authorizer[method](device('machine', 'dev_1'), 'art_1')).rejects.toMatchObject({
        code: 'forbidden',
      });
    row = { ...ROW, session_id: 'ses_2' };
    const refused = authorizer.getArtifactWithContent(device('machine', 'dev_1'), 'art_1');
    await expect(refused).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('looks in the account of the device only, and locks and loads content only if asked to', async () => {
    for (const method of ['getArtifact', 'getArtifactWithContent', 'lockArtifact'] as const) {
      await authorizer[method](device('account', 'dev_1'), 'art_1');
    }
    expect(queries).toEqual(['find acc_1 art_1', 'find with content acc_1 art_1', 'lock acc_1 art_1']);
  });
});
