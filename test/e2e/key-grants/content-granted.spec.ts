import { GrantedArtifact, GrantedSession, grantsPath } from '../../support/content/granted-session';
import { newReaderKey } from '../../support/content/jose-keys';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const TEXT = 'a text';

describe('contentGranted says what could be read now', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  let tokenId: string;
  let session: GrantedSession;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await AccountDevice.signUp(service.http);
    const scopes = ['sessions:read', 'sessions:content', 'artifacts:read', 'artifacts:content'];
    ({ token, id: tokenId } = await ada.createToken(scopes));
  });
  beforeEach(async () => {
    session = await GrantedSession.open(ada);
  });
  afterAll(() => service?.stop());

  const shown = async (path: string, of: string, bearer = token): Promise<boolean[]> => {
    const one = ok(await service.http.get(`/external/v1/${path}/${of}`, bearer), 200).data;
    const listed = ok(await service.http.get(`/external/v1/${path}?limit=200`, bearer), 200).data;
    return [one.contentGranted, listed.find(({ id }: any) => id === of).contentGranted] as boolean[];
  };

  it('on sessions, for this caller', async () => {
    expect(await shown('sessions', session.id)).toEqual([false, false]);
    const { id } = ok(await session.grant({ tokenId }), 201).data;
    expect(await shown('sessions', session.id)).toEqual([true, true]);
    const { token: other } = await ada.createToken(['sessions:read', 'sessions:content']);
    expect(await shown('sessions', session.id, other)).toEqual([false, false]);
    await service.http.delete(`${grantsPath(session.resource)}/${id}`, ada.token);
    expect(await shown('sessions', session.id)).toEqual([false, false]);
  });

  it('not without the scope to read it', async () => {
    ok(await session.grant(), 201);
    const { token: bare } = await ada.createToken(['sessions:read']);
    expect(await shown('sessions', session.id, bare)).toEqual([false, false]);
  });

  it('on artifacts, through their own grants and their session’s', async () => {
    const within = await GrantedArtifact.keep(ada, TEXT, { session });
    const alone = await GrantedArtifact.keep(ada, TEXT);
    expect(await shown('artifacts', within.id)).toEqual([false, false]);
    const { publicKey } = await newReaderKey('P-256');
    ok(await session.key.grantTo(publicKey, session.resource), 201);
    expect(await shown('artifacts', within.id)).toEqual([true, true]);
    expect(await shown('artifacts', alone.id)).toEqual([false, false]);
    ok(await alone.grant(), 201);
    expect(await shown('artifacts', alone.id)).toEqual([true, true]);
    const { token: bare } = await ada.createToken(['artifacts:read', 'sessions:content']);
    expect(await shown('artifacts', alone.id, bare)).toEqual([false, false]);
  });
});
