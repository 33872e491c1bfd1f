import { CallerDataKey, GrantedArtifact, GrantedSession, getGrantsPath } from '../../support/content/granted-session';
import { createReaderKey } from '../../support/content/jose-keys';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const TEXT = 'a text';

describe('contentGranted', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let tokenId: string;
  let session: GrantedSession;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    const scopes = ['sessions:read', 'sessions:content', 'artifacts:read', 'artifacts:content'];
    ({ token, id: tokenId } = await ada.createToken(scopes));
  });
  beforeEach(async () => {
    session = await GrantedSession.createSession(ada);
  });
  afterAll(() => service?.stop());

  const shown = async (path: string, of: string, bearer = token): Promise<boolean[]> => {
    const one = expectStatus(await service.http.get(`/external/v1/${path}/${of}`, bearer), 200).data;
    const listed = expectStatus(await service.http.get(`/external/v1/${path}?limit=200`, bearer), 200).data;
    return [one.contentGranted, listed.find(({ id }: any) => id === of).contentGranted] as boolean[];
  };

  it('is true for sessions that this caller can read', async () => {
    expect(await shown('sessions', session.id)).toEqual([false, false]);
    const { id } = expectStatus(await session.grantToService({ tokenId }), 201).data;
    expect(await shown('sessions', session.id)).toEqual([true, true]);
    const { token: other } = await ada.createToken(['sessions:read', 'sessions:content']);
    expect(await shown('sessions', session.id, other)).toEqual([false, false]);
    await service.http.delete(`${getGrantsPath(session.resource)}/${id}`, ada.token);
    expect(await shown('sessions', session.id)).toEqual([false, false]);
  });

  it('is false from the expiry of the grant, for artifacts as well', async () => {
    const artifact = await GrantedArtifact.createArtifact(ada, TEXT, { session });
    expectStatus(await session.grantToService({ expiresAt: service.now + 60_000 }), 201);
    expect(await shown('sessions', session.id)).toEqual([true, true]);
    expect(await shown('artifacts', artifact.id)).toEqual([true, true]);
    service.advanceClock(60_000);
    expect(await shown('sessions', session.id)).toEqual([false, false]);
    expect(await shown('artifacts', artifact.id)).toEqual([false, false]);
  });

  it('is false without the scope', async () => {
    expectStatus(await session.grantToService(), 201);
    const { token: bare } = await ada.createToken(['sessions:read']);
    expect(await shown('sessions', session.id, bare)).toEqual([false, false]);
  });

  it('is true for artifacts with a grant of their own or of their session', async () => {
    const within = await GrantedArtifact.createArtifact(ada, TEXT, { session });
    const alone = await GrantedArtifact.createArtifact(ada, TEXT);
    expect(await shown('artifacts', within.id)).toEqual([false, false]);
    const { publicKey } = await createReaderKey('P-256');
    expectStatus(await session.key.grantToReader(publicKey, session.resource), 201);
    expect(await shown('artifacts', within.id)).toEqual([true, true]);
    expect(await shown('artifacts', alone.id)).toEqual([false, false]);
    expectStatus(await alone.grantToService(), 201);
    expect(await shown('artifacts', alone.id)).toEqual([true, true]);
    const { token: bare } = await ada.createToken(['artifacts:read', 'sessions:content']);
    expect(await shown('artifacts', alone.id, bare)).toEqual([false, false]);
  });

  it('is false for artifacts of a granted session that have a key of their own', async () => {
    const ownKey = await GrantedArtifact.createArtifact(ada, TEXT, { session, key: new CallerDataKey(ada) });
    expectStatus(await session.grantToService(), 201);
    expect(await shown('artifacts', ownKey.id)).toEqual([false, false]);
    expectStatus(await ownKey.grantToService(), 201);
    expect(await shown('artifacts', ownKey.id)).toEqual([true, true]);
  });
});
