import { findTablesContaining } from '../../support/database';
import { DeviceSession } from '../../support/device/device-session';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture } from '../../support/relay-fixture';

const SEALED_CAPABILITIES = ['session.message', 'session.sealed'];

describe('a message that its sender has sealed', () => {
  let fixture: RelayFixture;
  let device: ForeignDevice;
  let session: DeviceSession;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    device = await fixture.ada.pairDevice('machine');
    session = await DeviceSession.createSession(fixture.ada, device);
  });
  afterAll(() => fixture?.stop());

  const seal = (localId: string, role = 'user', svc?: object) => {
    const { content: sealedContent } = session.encryptMessage(localId, role, 'a sealed text', svc);
    return { sealedContent, localId };
  };
  const post = (body: object) => fixture.http.post(`/external/v1/sessions/${session.id}/messages`, fixture.token, body);

  it('is relayed as it is, to a device that declares session.sealed', async () => {
    const sealed = seal('m-1');
    const old = await fixture.connectDevice(device, ['session.message']);
    expectProblem(await post(sealed), 503, 'no_online_device');
    const socket = await fixture.connectDevice(device, SEALED_CAPABILITIES);
    expectStatus(await post({ ...sealed, waitMs: 5 }), 200);
    expect(old.requests).toEqual([]);
    expect(socket.requests).toEqual([
      expect.objectContaining({ method: 'session.message', params: { ...sealed, waitMs: 5 } }),
    ]);
  });

  it('waits in the queue, encrypted once more, until such a device connects', async () => {
    const sealed = seal('m-1');
    const queued = new QueuedSession(fixture.http, fixture.token, session.id);
    const response = await post({ ...sealed, delivery: { mode: 'queue' } });
    const id = expectStatus(response, 202).result.queuedMessageId;
    expect(await findTablesContaining(fixture.service, sealed.sealedContent)).toEqual([]);
    const exported = expectStatus(await fixture.http.get('/v1/account/export', fixture.ada.token), 200);
    expect(exported.data.queuedMessages).toContainEqual(expect.objectContaining({ id, content: null, ...sealed }));
    const socket = await fixture.connectDevice(device, SEALED_CAPABILITIES);
    await queued.waitForState(id, 'delivered');
    expect(socket.requests).toEqual([expect.objectContaining({ params: { ...sealed, waitMs: 0 } })]);
  });

  it.each([
    { name: 'without a text', build: () => ({}), path: '/content' },
    { name: 'with two texts', build: () => ({ ...seal('m-1'), content: 'hello' }), path: '/sealedContent' },
    { name: 'in plain text with a localId', build: () => ({ content: 'hello', localId: 'm-1' }), path: '/localId' },
    { name: 'without a localId', build: () => ({ ...seal('m-1'), localId: undefined }), path: '/localId' },
    { name: 'with a space in the localId', build: () => seal('m 1'), path: '/localId' },
    { name: 'of another localId', build: () => ({ ...seal('m-1'), localId: 'm-2' }), path: '/sealedContent' },
    { name: 'of another role', build: () => seal('m-1', 'assistant'), path: '/sealedContent' },
    { name: 'of another place', build: () => seal('m-1', 'user', { a: 'acc_1' }), path: '/sealedContent' },
    { name: 'that is no JWE', build: () => ({ sealedContent: 'hello', localId: 'm-1' }), path: '/sealedContent' },
  ])('is refused $name', async ({ build, path }) => {
    expect(expectViolationPaths(await post(build()))).toEqual([path]);
    expect(expectViolationPaths(await post({ ...build(), delivery: { mode: 'queue' } }))).toEqual([path]);
  });

  it('is replayed with its key after its session was deleted, relayed or queued', async () => {
    await fixture.connectDevice(device, SEALED_CAPABILITIES);
    const bodies = [seal('m-1'), { ...seal('m-2'), delivery: { mode: 'queue' } }];
    const sendAll = () =>
      Promise.all(
        bodies.map((body, n) => {
          const path = `/external/v1/sessions/${session.id}/messages`;
          return fixture.http.post(path, fixture.token, body, { headers: { 'Idempotency-Key': `deleted-${n}` } });
        }),
      );
    const first = await sendAll();
    expect(first.map(({ status }) => status)).toEqual([200, 202]);
    expectStatus(await fixture.http.delete(`/v1/sessions/${session.id}`, fixture.ada.token), 204);
    const again = await sendAll();
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    for (const { headers } of again) expect(headers.get('idempotency-replayed')).toBe('true');
  });

  it('is 404 in an unknown session', async () => {
    const path = '/external/v1/sessions/ses_unknown/messages';
    expectProblem(await fixture.http.post(path, fixture.token, seal('m-1')), 404, 'not_found');
  });
});
