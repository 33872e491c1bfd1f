import { createReaderKey } from '../../support/content/jose-keys';
import { expectStatus } from '../../support/device/foreign-device';
import type { RequestOptions } from '../../support/http-client';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RELAY_SCOPES } from '../../support/relay-test-client';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const CAPABILITIES = ['session.message', 'session.start', 'session.grant'];
const STARTED = { sessionId: 'ses_00000000000000000000000000', turn: null };
const GRANTED = { ...STARTED, grant: { id: 'grt_00000000000000000000000000' } };

describe('a key grant that a start asks for', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let reader: { id: string; token: string };

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
    reader = await fixture.ada.createToken([...RELAY_SCOPES, 'sessions:content']);
  });
  beforeEach(() => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(() => ({ ok: true, result: GRANTED }));
  });
  afterAll(() => fixture?.stop());

  const startSession = (body: object, token = reader.token, machineId = machine.id, options: RequestOptions = {}) =>
    fixture.http.post(`/external/v1/machines/${machineId}/sessions`, token, body, options);

  it('names the token of the call to the device, and its id is in the answer', async () => {
    const { body } = await startSession({ grant: true });
    expect(body.result).toEqual(GRANTED);
    expect(machine.socket.requests).toMatchObject([
      { method: 'session.start', caller: 'pat', params: { grant: { tokenId: reader.id, recipient: null } } },
    ]);
  });

  it('names the key of the caller without members that have no effect', async () => {
    const { publicKey } = await createReaderKey('P-256', 'mine');
    expectStatus(await startSession({ grant: { recipient: { ...publicKey, use: 'enc', ext: true } } }), 200);
    const { kty, crv, x, y, kid } = publicKey;
    expect(machine.socket.requests[0].params.grant).toEqual({
      tokenId: reader.id,
      recipient: { kty, crv, x, y, kid },
    });
  });

  it.each([[{}], [{ grant: false }], [{ grant: null }]])('is left out for %j', async (body) => {
    machine.socket.setHandler(() => ({ ok: true, result: STARTED }));
    expectStatus(await startSession(body, fixture.token), 200);
    expect(machine.socket.requests[0].params).not.toHaveProperty('grant');
  });

  it('requires the scope to read content, and nothing is sent without it', async () => {
    const problem = expectProblem(await startSession({ grant: true }, fixture.token), 403, 'insufficient_scope');
    expect(problem.required).toEqual(['machines:invoke', 'sessions:content']);
    expect(machine.socket.requests).toEqual([]);
  });

  it('is not for account devices, which have keys of their own', async () => {
    const path = `/v1/control/machines/${machine.id}/sessions`;
    const refused = await fixture.http.post(path, fixture.ada.token, { grant: true });
    expect(expectViolationPaths(refused)).toEqual(['/grant']);
    machine.socket.setHandler(() => ({ ok: true, result: STARTED }));
    expectStatus(await fixture.http.post(path, fixture.ada.token, {}), 200);
  });

  it('is refused with a key that is private, on another curve, or not a key', async () => {
    const { publicKey, privateKey } = await createReaderKey('X25519');
    const bodies = [
      { recipient: privateKey },
      { recipient: { ...publicKey, crv: 'Ed25519' } },
      { recipient: { ...publicKey, x: 'AA' } },
      { recipient: 'service' },
      { recipient: publicKey, tokenId: fixture.tokenId },
      { tokenId: fixture.tokenId },
      {},
      'true',
      1,
      [true],
    ];
    for (const grant of bodies) {
      const refused = await startSession({ grant });
      expect(expectViolationPaths(refused)).toEqual(['/grant']);
      expect(JSON.stringify(refused.body)).not.toContain(privateKey.d!);
    }
    expect(machine.socket.requests).toEqual([]);
  });

  it('is refused before anything is sent if the device can not grant, and the key can be used again', async () => {
    const older = await fixture.createRecordedMachine(['session.start']);
    older.socket.setHandler(() => ({ ok: true, result: STARTED }));
    const keyed = { headers: { 'Idempotency-Key': 'older' } };
    const refused = await startSession({ grant: true }, reader.token, older.id, keyed);
    expect(expectViolationPaths(refused)).toEqual(['/grant']);
    expect(refused.body.detail).toContain('Update the device');
    expect(older.socket.requests).toEqual([]);
    expectStatus(await startSession({}, reader.token, older.id, keyed), 200);
    const { id } = await fixture.createOfflineMachine();
    expectProblem(await startSession({ grant: true }, reader.token, id), 503, 'no_online_device');
    expectProblem(
      await startSession({ grant: true }, reader.token, 'mch_00000000000000000000000000'),
      404,
      'not_found',
    );
  });

  it('is sent once for each key, and its answer is replayed', async () => {
    const keyed = { headers: { 'Idempotency-Key': 'granted' } };
    const first = await startSession({ grant: true }, reader.token, machine.id, keyed);
    const again = await startSession({ grant: true }, reader.token, machine.id, keyed);
    expect(again.body).toEqual(first.body);
    expect(machine.socket.requests).toHaveLength(1);
    expectProblem(await startSession({}, reader.token, machine.id, keyed), 422, 'idempotency_key_reused');
  });

  it.each([[STARTED], [{ ...STARTED, grant: { id: 'ses_0' } }], [{ ...STARTED, grant: null }]])(
    'is not believed to a device that answers %j',
    async (result) => {
      machine.socket.setHandler(() => ({ ok: true, result }));
      const { deviceError } = expectProblem(await startSession({ grant: true }), 502, 'device_error');
      expect(deviceError.code).toBe('invalid_answer');
    },
  );

  it('passes on why the device has not granted', async () => {
    const result = { ...STARTED, grant: null, grantError: { code: 'grants_disabled', message: 'The owner says no.' } };
    machine.socket.setHandler(() => ({ ok: true, result }));
    expect(expectStatus(await startSession({ grant: true }), 200).result).toEqual(result);
  });
});
