import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { expectViolationPaths, expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

describe('POST /v1/sessions', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let host: ForeignDevice;
  let other: ForeignDevice;
  let machineId: string;
  let otherMachineId: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    host = await ada.pairDevice('machine');
    other = await ada.pairDevice('machine');
    machineId = await register(host);
    otherMachineId = await register(other);
  });
  afterAll(() => service?.stop());

  async function register(device: ForeignDevice): Promise<string> {
    const body = { name: 'box', platform: 'linux' };
    return expectStatus(await service.http.post('/v1/machines', device.token, body), 201).data.id;
  }

  const create = (by: ForeignDevice, body: object) => service.http.post('/v1/sessions', by.token, body);

  async function countOf(tag: string): Promise<number> {
    return (await queryDatabase(service, 'SELECT 1 FROM sessions WHERE tag = $1', [tag])).length;
  }

  it('is 201 with the device’s record', async () => {
    const session = new SessionBodyBuilder(ada);
    const metadata = session.encryptMetadata(1);
    const before = Date.now();
    const { data } = expectStatus(await create(host, session.buildCreateBody({ machineId, metadata })), 201);
    expect(data).toEqual({
      id: expect.stringMatching(/^ses_[0-9a-hjkmnp-tv-z]{26}$/),
      object: 'session',
      state: 'active',
      activity: 'idle',
      agent: null,
      context: null,
      tag: session.tag,
      machineId,
      messageCount: 0,
      lastSeq: 0,
      contentGranted: false,
      createdAt: expect.any(Number),
      updatedAt: data.createdAt,
      lastActiveAt: data.createdAt,
      endedAt: null,
      version: 1,
      metadata,
      dataKey: session.dataKey,
      hostDeviceId: host.id,
    });
    expect(data.createdAt).toBeGreaterThanOrEqual(before);
  });

  it('shows callers of the External API nothing of keys, metadata, version and host', async () => {
    const session = new SessionBodyBuilder(ada);
    const { data } = expectStatus(
      await create(host, session.buildCreateBody({ metadata: session.encryptMetadata(1) })),
      201,
    );
    const { token } = await ada.createToken(['sessions:read']);
    const shown = expectStatus(await service.http.get(`/external/v1/sessions/${data.id}`, token), 200).data;
    const { version: _v, metadata: _m, dataKey: _d, hostDeviceId: _h, ...rest } = data;
    expect(shown).toEqual(rest);
  });

  it('is 200 with the existing session when the host or an account device repeats it', async () => {
    const session = new SessionBodyBuilder(ada);
    const { data } = expectStatus(await create(host, session.buildCreateBody()), 201);
    for (const by of [host, ada]) {
      const repeated = expectStatus(
        await create(by, { ...new SessionBodyBuilder(ada).buildCreateBody(), tag: session.tag }),
        200,
      );
      expect(repeated.data).toEqual(data);
    }
    expect(await countOf(session.tag)).toBe(1);
  });

  it('is 409 for a machine that isn’t the host', async () => {
    const hosted = new SessionBodyBuilder(ada);
    expectStatus(await create(host, hosted.buildCreateBody()), 201);
    expectProblem(await create(other, hosted.buildCreateBody()), 409, 'conflict');
    const personal = new SessionBodyBuilder(ada);
    expect(expectStatus(await create(ada, personal.buildCreateBody()), 201).data.hostDeviceId).toBe(ada.id);
    expectProblem(await create(host, personal.buildCreateBody()), 409, 'conflict');
  });

  it('allows the same tag in other accounts', async () => {
    const session = new SessionBodyBuilder(ada);
    expectStatus(await create(host, session.buildCreateBody()), 201);
    const eve = await ForeignAccountDevice.signUp(service.http);
    expectStatus(await create(eve, { ...new SessionBodyBuilder(eve).buildCreateBody(), tag: session.tag }), 201);
  });

  it('creates one session for concurrent requests of two devices', async () => {
    for (let n = 0; n < 5; n++) {
      const session = new SessionBodyBuilder(ada);
      const answers = await Promise.all([host, ada, host, ada].map((by) => create(by, session.buildCreateBody())));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.every((status) => [200, 201, 409].includes(status))).toBe(true);
      expect(await countOf(session.tag)).toBe(1);
    }
  });

  it('accepts a machine’s own machineId, and any of the account from an account device', async () => {
    expectStatus(await create(host, new SessionBodyBuilder(ada).buildCreateBody({ machineId })), 201);
    expectStatus(await create(ada, new SessionBodyBuilder(ada).buildCreateBody({ machineId: otherMachineId })), 201);
    const refused = new SessionBodyBuilder(ada);
    expectProblem(await create(host, refused.buildCreateBody({ machineId: otherMachineId })), 403, 'forbidden');
    expect(await countOf(refused.tag)).toBe(0);
  });

  it('is 404 for a machineId that is unknown, malformed or another account’s', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const foreign = await register(await eve.pairDevice('machine'));
    for (const id of ['mch_00000000000000000000000000', 'nonsense', foreign]) {
      const session = new SessionBodyBuilder(ada);
      expectProblem(await create(ada, session.buildCreateBody({ machineId: id })), 404, 'not_found');
      expect(await countOf(session.tag)).toBe(0);
    }
  });

  it.each([
    [{ tag: undefined }, ['/tag']],
    [{ tag: '' }, ['/tag']],
    [{ tag: ' ' }, ['/tag']],
    [{ tag: 't'.repeat(129) }, ['/tag']],
    [{ tag: 'a\0b' }, ['/tag']],
    [{ tag: 'a\nb' }, ['/tag']],
    [{ tag: 7 }, ['/tag']],
    [{ dataKey: undefined }, ['/dataKey']],
    [{ dataKey: 'x' }, ['/dataKey']],
    [{ dataKey: {} }, ['/dataKey/kid', '/dataKey/sealed']],
    [{ state: 'ended' }, ['/state']],
    [{ metadata: '' }, ['/metadata']],
    [{ metadata: 'm'.repeat(65_537) }, ['/metadata']],
    [{ machineId: 7 }, ['/machineId']],
    [{ machineId: 'a\0b' }, ['/machineId']],
  ])('rejects %j', async (extra, faults) => {
    expect(expectViolationPaths(await create(host, new SessionBodyBuilder(ada).buildCreateBody(extra))).sort()).toEqual(
      faults,
    );
  });

  it('accepts a tag of 128 characters', async () => {
    const tag = '\u{1f600}'.repeat(128);
    expect(expectStatus(await create(host, new SessionBodyBuilder(ada).buildCreateBody({ tag })), 201).data.tag).toBe(
      tag,
    );
  });
});
