import { createHash } from 'node:crypto';
import { AskingSession, PERMISSION_MEDIA_TYPE, QUESTION } from '../../support/content/asking-session';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { decryptContentJwe } from '../../support/device/jwe-decryption';
import type { DeviceSocket } from '../../support/device/device-socket';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

const CAPABILITIES = ['session.message', 'session.permission'];

describe('permission requests, for an account device', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let phone: ForeignDevice;
  let session: AskingSession;
  let permissionId: string;
  let jwe: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
    phone = await fixture.ada.pairDevice('account');
  });
  beforeEach(async () => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(({ params }) => {
      const { optionId } = params;
      return { ok: true, result: { state: optionId === 'o3' ? 'rejected' : 'allowed', optionId } };
    });
    // Nobody has granted the key of the session.
    session = await AskingSession.createSession(fixture.service, fixture.ada, machine.device);
    const { record, report } = await session.requestPermission('p1');
    [permissionId, jwe] = [record.id, report.content];
  });
  afterAll(() => fixture?.stop());

  const getPath = (suffix = '') => `/v1/control/sessions/${session.id}/permission-requests${suffix}`;
  const read = (suffix: string, by = phone.token) => fixture.http.get(getPath(suffix), by);
  const hash = () => createHash('sha256').update(jwe, 'ascii').digest('base64url');
  const decide = (body: object, by = phone.token) =>
    fixture.http.post(getPath(`/${permissionId}/decision`), by, { contentHash: hash(), ...body });

  it('are the records that tokens read', async () => {
    const { data } = expectStatus(await read('?state=pending'), 200);
    expect(data).toMatchObject([{ id: permissionId, state: 'pending', decidedBy: null }]);
    expect(data[0]).not.toHaveProperty('content');
    const external = await fixture.http.get(session.getPath(permissionId), fixture.token);
    expect(expectStatus(await read(`/${permissionId}`), 200)).toEqual(expectStatus(external, 200));
  });

  it('have their ciphertext and its hash without a key grant, and the device opens it with its key', async () => {
    const httpResponse = await read(`/${permissionId}/content`);
    expect(expectStatus(httpResponse, 200)).toEqual({
      data: {
        id: permissionId,
        sessionId: session.id,
        encoding: 'sealed',
        content: jwe,
        key: null,
        grantId: null,
        contentHash: hash(),
      },
    });
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    const { header, text } = decryptContentJwe(httpResponse.body.data.content, Buffer.from(session.granted.key.bytes));
    expect([header.cty, text]).toEqual([PERMISSION_MEDIA_TYPE, QUESTION]);
    expect(expectStatus(await read(`/${permissionId}/content?encoding=sealed`), 200)).toEqual(httpResponse.body);
  });

  it('have no plaintext, even where the key is granted to the service', async () => {
    expectStatus(await session.granted.grantToService(), 201);
    expectProblem(await read(`/${permissionId}/content?encoding=plaintext`), 403, 'no_content_grant');
    expect(expectStatus(await read(`/${permissionId}/content`), 200).data.encoding).toBe('sealed');
  });

  it('are decided by the device, as record, event and audit say', async () => {
    const httpResponse = await decide({ decision: 'allow' });
    const { requestId } = httpResponse.body;
    expect(expectStatus(httpResponse, 200)).toEqual({ requestId, result: { state: 'allowed', optionId: 'o1' } });
    expect(machine.socket.requests).toMatchObject([
      { requestId, method: 'session.permission', caller: 'device', params: { localId: 'p1', optionId: 'o1' } },
    ]);
    expect(expectStatus(await read(`/${permissionId}`), 200).data).toMatchObject({
      state: 'allowed',
      decidedBy: { tokenId: null, deviceId: phone.id },
      decidedAt: expect.any(Number),
    });
    expect(await fixture.readAuditRecord(httpResponse)).toMatchObject({
      method: 'session.permission',
      deviceId: machine.device.id,
      tokenId: null,
      callerDeviceId: phone.id,
    });
    expectProblem(await decide({ decision: 'reject' }), 409, 'permission_not_pending');
  });

  it('are not decided with another hash, or by another account', async () => {
    expectProblem(await decide({ decision: 'allow', contentHash: 'A'.repeat(43) }), 409, 'conflict');
    const eve = await ForeignAccountDevice.signUp(fixture.http);
    expectProblem(await decide({ decision: 'allow' }, eve.token), 404, 'not_found');
    for (const suffix of ['', `/${permissionId}`, `/${permissionId}/content`]) {
      expectProblem(await read(suffix, eve.token), 404, 'not_found');
    }
    expect(machine.socket.requests).toEqual([]);
  });

  it('notify the other devices of the account of a decision, not the one that decided', async () => {
    const collectTypes = (socket: DeviceSocket) => {
      const types: string[] = [];
      socket.socket.on('change', ({ type, id }) => id === session.id && types.push(type));
      return types;
    };
    const own = collectTypes(await fixture.connectDevice(phone, []));
    const other = collectTypes(await fixture.connectDevice(fixture.ada, []));
    expectStatus(await decide({ decision: 'allow' }), 200);
    await waitFor(() => expect(other).toEqual(['permission.decided']));
    // Sent in order, so the notification of the next change shows that none of the decision came before.
    expectStatus(await session.requestPermission('p2').then(({ record }) => read(`/${record.id}`)), 200);
    await waitFor(() => expect(own).toEqual(['permission.requested']));
  });
});
