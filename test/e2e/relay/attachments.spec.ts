import { findTablesContaining, queryDatabase } from '../../support/database';
import { CallerDataKey, GrantedArtifact, GrantedSession } from '../../support/content/granted-session';
import { encryptWithJose } from '../../support/content/jose-keys';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const CAPABILITIES = ['session.message', 'session.start', 'session.sealed', 'session.attachments'];
const MAX_BYTES = 716_800;
const STARTED = { sessionId: 'ses_00000000000000000000000000', turn: null };

const encode = (bytes: number) => Buffer.alloc(bytes, 'a').toString('base64');
const FILE = { name: '../../.ssh/authorized_keys', mediaType: 'image/png', data: encode(10) };

describe('attachments of a message', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let session: GrantedSession;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
    session = await createSession(machine);
  });
  beforeEach(() => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(({ method }: { method: string }) => ({
      ok: true,
      result: method === 'session.start' ? STARTED : { accepted: true, messageId: null, reply: null },
    }));
  });
  afterAll(() => fixture?.stop());

  /** Creates a session whose messages go to the machine. */
  const createSession = ({ device, id: machineId }: ConnectedMachine) =>
    GrantedSession.createSession(fixture.ada, device, new CallerDataKey(fixture.ada), { machineId });
  const send = (body: object, { id } = session, token = fixture.token) =>
    fixture.http.post(`/external/v1/sessions/${id}/messages`, token, { content: 'Look.', ...body });
  const start = (body: object, machineId = machine.id) =>
    fixture.http.post(`/external/v1/machines/${machineId}/sessions`, fixture.token, body);
  const expectRefused = async (body: object, ...paths: string[]) => {
    expect(expectViolationPaths(await send(body))).toEqual(paths);
    expect(machine.socket.requests).toEqual([]);
  };

  it('reach the device as they are, with a message and with a start', async () => {
    const { mediaType: _, ...untyped } = FILE;
    expectStatus(await send({ attachments: [FILE, untyped], waitMs: 0 }), 200);
    expectStatus(await start({ content: 'Look.', attachments: [FILE] }), 200);
    expect(machine.socket.requests.map(({ params }: { params: object }) => params)).toEqual([
      { content: 'Look.', waitMs: 0, attachments: [FILE, { ...untyped, mediaType: null }] },
      expect.objectContaining({ content: 'Look.', attachments: [FILE] }),
    ]);
    const path = `/v1/control/sessions/${session.id}/messages`;
    expectStatus(await fixture.http.post(path, fixture.ada.token, { content: 'Look.', attachments: [FILE] }), 200);
  });

  it.each([[{}], [{ attachments: [] }], [{ attachments: null }]])('are left out for %j', async (body) => {
    expectStatus(await send(body), 200);
    expect(machine.socket.requests[0].params).not.toHaveProperty('attachments');
  });

  it('have 700 KiB together, and not a byte more', async () => {
    const half = MAX_BYTES / 2;
    expectStatus(await send({ attachments: [half, half].map((bytes) => ({ ...FILE, data: encode(bytes) })) }), 200);
    expectStatus(await send({ attachments: [{ ...FILE, data: encode(MAX_BYTES) }] }), 200);
    machine.socket.requests.length = 0;
    await expectRefused({ attachments: [{ ...FILE, data: encode(MAX_BYTES + 1) }] }, '/attachments');
    const data = [half, half + 1].map((bytes) => ({ ...FILE, data: encode(bytes) }));
    await expectRefused({ attachments: data }, '/attachments');
    expectProblem(
      await send({ attachments: [{ ...FILE, data: encode(MAX_BYTES + 80_000) }] }),
      413,
      'payload_too_large',
    );
  });

  it.each<[string, object[], string[]]>([
    ['nine', Array.from({ length: 9 }, () => FILE), ['/attachments']],
    ['one without a form', [FILE, { name: 'a' }], ['/attachments/1']],
    ['one in two forms', [{ ...FILE, artifactId: 'art_1' }], ['/attachments/0']],
    ['bytes without a name', [{ data: 'AAAA' }], ['/attachments/0/name']],
    ['a blank name', [{ name: ' ', data: 'AAAA' }], ['/attachments/0/name']],
    ['base64url', [{ name: 'a', data: 'AA-_' }], ['/attachments/0/data']],
    ['base64 without padding', [{ name: 'a', data: 'AAA' }], ['/attachments/0/data']],
    ['a name of an artifact', [{ name: 'a', artifactId: 'art_1' }], ['/attachments/0/name']],
    ['a type of an artifact', [{ mediaType: 'image/png', artifactId: 'art_1' }], ['/attachments/0/mediaType']],
    ['an unknown member', [{ ...FILE, path: '/etc/passwd' }], ['/attachments/0/path']],
    ['a sealed one in a message that is not', [{ sealedContent: 'x' }], ['/attachments/0/sealedContent']],
  ])('are refused: %s', (_, attachments, paths) => expectRefused({ attachments }, ...paths));

  it('of a start need a first message', async () => {
    expect(expectViolationPaths(await start({ attachments: [FILE] }))).toEqual(['/attachments']);
    expect(machine.socket.requests).toEqual([]);
  });

  it('are refused before anything is sent or queued if the device is of an older release', async () => {
    const older = await fixture.createRecordedMachine(['session.message', 'session.start']);
    const oldSession = await createSession(older);
    const answers = [
      await send({ attachments: [FILE] }, oldSession),
      await send({ attachments: [FILE], delivery: { mode: 'queue' } }, oldSession),
      await start({ content: 'Look.', attachments: [FILE] }, older.id),
    ];
    for (const answer of answers) {
      expect(expectViolationPaths(answer)).toEqual(['/attachments']);
      expect(answer.body.detail).toContain('Update the device');
    }
    expectStatus(await send({}, oldSession), 200);
    expect(older.socket.requests).toHaveLength(1);
    older.socket.close();
    const { id } = await fixture.createOfflineMachine();
    expectProblem(await start({ content: 'Look.', attachments: [FILE] }, id), 503, 'no_online_device');
  });

  it('go to the host of a session although the device of its machine is of an older release', async () => {
    const older = await fixture.createMachine(['session.message']);
    const phone = await fixture.ada.pairDevice('account', 'phone');
    const host = await fixture.connectDevice(phone, ['session.message', 'session.attachments']);
    const hosted = await fixture.ada.createSession(phone, { machineId: older.id });
    const path = `/external/v1/sessions/${hosted.id}/messages`;
    const body = { content: 'Look.', attachments: [FILE] };
    expectStatus(await fixture.http.post(path, fixture.token, body), 200);
    expect(host.requests).toMatchObject([{ params: { attachments: [FILE] } }]);
    expect(older.socket.requests).toEqual([]);
    for (const socket of [host, older.socket]) socket.close();
  });

  it('of a sealed message are sealed each in its place', async () => {
    const localId = 'm-1';
    const seal = (place: object, text: string) => {
      const svc = { a: fixture.ada.accountId, s: session.tag, l: localId, r: 'user', ...place };
      return encryptWithJose(session.key.bytes, { kid: session.key.kid, cty: 'text/plain', svc }, text);
    };
    const sealed = { content: undefined, localId, sealedContent: await seal({}, 'Look.') };
    const attachments = [{ sealedContent: await seal({ f: 1 }, '{"name":"a"}\nbytes') }];
    expectStatus(await send({ ...sealed, attachments }), 200);
    expect(machine.socket.requests).toMatchObject([{ params: { localId, attachments } }]);
    machine.socket.requests.length = 0;
    await expectRefused({ ...sealed, attachments: [FILE] }, '/attachments/0/data');
    const misplaced = [{ sealedContent: await seal({ f: 2 }, 'x') }, { sealedContent: await seal({}, 'x') }];
    await expectRefused(
      { ...sealed, attachments: misplaced },
      '/attachments/0/sealedContent',
      '/attachments/1/sealedContent',
    );
    const large = await seal({ f: 1 }, 'x'.repeat(720_000));
    await expectRefused({ ...sealed, attachments: [{ sealedContent: large }] }, '/attachments/0/sealedContent');
    const halves = await Promise.all([1, 2].map((f) => seal({ f }, 'x'.repeat(361_000))));
    const together = halves.map((sealedContent) => ({ sealedContent }));
    await expectRefused({ ...sealed, attachments: together }, '/attachments');
  });

  it('may be artifacts that the caller can read', async () => {
    const artifact = await GrantedArtifact.createArtifact(fixture.ada, 'text');
    const attachments = [{ artifactId: artifact.id }];
    const missing = [{ artifactId: 'art_00000000000000000000000000' }];
    const refused = [await send({ attachments }), await send({ attachments: missing })];
    for (const answer of refused) expect(expectViolationPaths(answer)).toEqual(['/attachments/0/artifactId']);
    expect(refused[0]!.body.errors).toEqual(refused[1]!.body.errors);
    const path = `/v1/control/sessions/${session.id}/messages`;
    expectStatus(await fixture.http.post(path, fixture.ada.token, { content: 'Look.', attachments }), 200);
    const reader = await fixture.ada.createToken(['sessions:write', 'artifacts:read', 'artifacts:content']);
    expectStatus(await artifact.grantToService({ tokenId: reader.id }), 201);
    expectStatus(await send({ attachments }, session, reader.token), 200);
    expect(machine.socket.requests).toMatchObject([{ params: { attachments } }, { params: { attachments } }]);
  });

  it('wait in the queue, encrypted and charged, until the machine is back', async () => {
    const away = await fixture.createMachine(CAPABILITIES);
    const awaySession = await createSession(away);
    away.socket.close();
    const queued = new QueuedSession(fixture.http, fixture.token, awaySession.id);
    const readBytes = async () => {
      const sql = 'SELECT message_bytes::integer AS bytes FROM sessions WHERE id = $1';
      const [row] = await queryDatabase<{ bytes: number }>(fixture.service, sql, [awaySession.id]);
      return row!.bytes;
    };
    const before = await readBytes();
    const data = Buffer.from('a secret picture'.repeat(1_000)).toString('base64');
    const attachments = [{ name: 'a.png', mediaType: null, data }];
    const body = { attachments: [{ name: 'a.png', data }], delivery: { mode: 'queue' } };
    const id = expectStatus(await send(body, awaySession), 202).result.queuedMessageId as string;
    expect((await readBytes()) - before).toBe(1_024 + 'Look.'.length + 'a.png'.length + data.length);
    expect(await findTablesContaining(fixture.service, data.slice(0, 100))).toEqual([]);
    const socket = await fixture.connectDevice(away.device, CAPABILITIES);
    await queued.waitForState(id, 'delivered');
    expect(socket.requests).toMatchObject([{ params: { content: 'Look.', attachments } }]);
    expect(await readBytes()).toBe(before);
  });

  it('are replayed with their key after their session was deleted', async () => {
    const { id } = await createSession(machine);
    const path = `/external/v1/sessions/${id}/messages`;
    const sendWithKey = () =>
      fixture.http.post(
        path,
        fixture.token,
        { content: 'Look.', attachments: [FILE] },
        { headers: { 'Idempotency-Key': 'deleted' } },
      );
    const first = expectStatus(await sendWithKey(), 200);
    expectStatus(await fixture.http.delete(`/v1/sessions/${id}`, fixture.ada.token), 204);
    expect(expectStatus(await sendWithKey(), 200)).toEqual(first);
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('that the device can not pass on are an error that says so', async () => {
    const error = { code: 'attachment_unsupported', message: 'No agent works in the session.' };
    machine.socket.setHandler(() => ({ ok: false, error }));
    const problem = expectProblem(await send({ attachments: [FILE] }), 502, 'device_error');
    expect(problem).toMatchObject({ outcome: 'answered', deviceError: error });
  });
});
