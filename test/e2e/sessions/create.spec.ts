import { query } from '../../support/database';
import { AccountDevice, ok, type ForeignDevice } from '../../support/device/foreign-device';
import { SessionBody } from '../../support/device/session-bodies';
import { faultPaths, problem } from '../../support/problems';
import { Service } from '../../support/service';

describe('POST /v1/sessions', () => {
  let service: Service;
  let ada: AccountDevice;
  let host: ForeignDevice;
  let other: ForeignDevice;
  let machineId: string;
  let otherMachineId: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    host = await ada.adopt('machine');
    other = await ada.adopt('machine');
    machineId = await register(host);
    otherMachineId = await register(other);
  });
  afterAll(() => service?.stop());

  async function register(device: ForeignDevice): Promise<string> {
    const body = { name: 'box', platform: 'linux' };
    return ok(await service.http.post('/v1/machines', device.token, body), 201).data.id;
  }

  const create = (by: ForeignDevice, body: object) => service.http.post('/v1/sessions', by.token, body);

  async function countOf(tag: string): Promise<number> {
    return (await query(service, 'SELECT 1 FROM sessions WHERE tag = $1', [tag])).length;
  }

  it('is 201 with the record that the device reads back', async () => {
    const session = new SessionBody(ada);
    const metadata = session.metadata(1);
    const before = Date.now();
    const { data } = ok(await create(host, session.create({ machineId, metadata })), 201);
    expect(data).toEqual({
      id: expect.stringMatching(/^ses_[0-9a-hjkmnp-tv-z]{26}$/),
      object: 'session',
      state: 'active',
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
    const session = new SessionBody(ada);
    const { data } = ok(await create(host, session.create({ metadata: session.metadata(1) })), 201);
    const { token } = await ada.createToken(['sessions:read']);
    const shown = ok(await service.http.get(`/external/v1/sessions/${data.id}`, token), 200).data;
    const { version: _v, metadata: _m, dataKey: _d, hostDeviceId: _h, ...rest } = data;
    expect(shown).toEqual(rest);
  });

  it('is 200 with the standing session when the host or an account device repeats it', async () => {
    const session = new SessionBody(ada);
    const { data } = ok(await create(host, session.create()), 201);
    for (const by of [host, ada]) {
      const repeated = ok(await create(by, { ...new SessionBody(ada).create(), tag: session.tag }), 200);
      expect(repeated.data).toEqual(data);
    }
    expect(await countOf(session.tag)).toBe(1);
  });

  it('is 409 for another machine, and for any machine where an account device is the host', async () => {
    const hosted = new SessionBody(ada);
    ok(await create(host, hosted.create()), 201);
    problem(await create(other, hosted.create()), 409, 'conflict');
    const personal = new SessionBody(ada);
    expect(ok(await create(ada, personal.create()), 201).data.hostDeviceId).toBe(ada.id);
    problem(await create(host, personal.create()), 409, 'conflict');
  });

  it('leaves the same tag to each account', async () => {
    const session = new SessionBody(ada);
    ok(await create(host, session.create()), 201);
    const eve = await AccountDevice.signUp(service.http);
    ok(await create(eve, { ...new SessionBody(eve).create(), tag: session.tag }), 201);
  });

  it('makes one row of what two devices send at once', async () => {
    for (let n = 0; n < 5; n++) {
      const session = new SessionBody(ada);
      const answers = await Promise.all([host, ada, host, ada].map((by) => create(by, session.create())));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      expect(statuses.every((status) => [200, 201, 409].includes(status))).toBe(true);
      expect(await countOf(session.tag)).toBe(1);
    }
  });

  it('takes a machine’s own machineId, and any of the account from an account device', async () => {
    ok(await create(host, new SessionBody(ada).create({ machineId })), 201);
    ok(await create(ada, new SessionBody(ada).create({ machineId: otherMachineId })), 201);
    const refused = new SessionBody(ada);
    problem(await create(host, refused.create({ machineId: otherMachineId })), 403, 'forbidden');
    expect(await countOf(refused.tag)).toBe(0);
  });

  it('is 404 for a machineId that is unknown, malformed or another account’s', async () => {
    const eve = await AccountDevice.signUp(service.http);
    const foreign = await register(await eve.adopt('machine'));
    for (const id of ['mch_00000000000000000000000000', 'nonsense', 'a\0b', foreign]) {
      const session = new SessionBody(ada);
      problem(await create(ada, session.create({ machineId: id })), 404, 'not_found');
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
  ])('refuses %j', async (extra, faults) => {
    expect(faultPaths(await create(host, new SessionBody(ada).create(extra))).sort()).toEqual(faults);
  });

  it('takes a tag of 128 characters', async () => {
    const tag = '\u{1f600}'.repeat(128);
    expect(ok(await create(host, new SessionBody(ada).create({ tag })), 201).data.tag).toBe(tag);
  });
});
