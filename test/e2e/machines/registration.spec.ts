import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { expectViolationPaths, expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

const BODY = { name: 'build box', platform: 'linux', arch: 'x64', appVersion: '1.2.3' };

describe('POST /v1/machines', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let device: ForeignDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_ADDRESS: '1000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    token = (await ada.createToken(['machines:read'])).token;
  });
  beforeEach(async () => {
    device = await ada.pairDevice('machine');
  });
  afterAll(() => service?.stop());

  const register = (by: ForeignDevice, body: object) => service.http.post('/v1/machines', by.token, body);
  const get = (id: string) => service.http.get(`/external/v1/machines/${id}`, token);

  it('is 201 with the machine’s record, as callers read it', async () => {
    const { data } = expectStatus(await register(device, BODY), 201);
    expect(data).toEqual({
      id: expect.stringMatching(/^mch_[0-9a-hjkmnp-tv-z]{26}$/),
      object: 'machine',
      ...BODY,
      state: 'offline',
      capabilities: [],
      agents: [],
      createdAt: expect.any(Number),
      updatedAt: data.createdAt,
      lastSeenAt: null,
    });
    expect(expectStatus(await get(data.id), 200).data).toEqual(data);
  });

  it('is 200 when repeated, and updates the one machine of the device', async () => {
    const { data } = expectStatus(await register(device, BODY), 201);
    service.advanceClock(5_000);
    const again = expectStatus(await register(device, { name: 'renamed', platform: 'darwin' }), 200).data;
    expect(again).toEqual({
      ...data,
      name: 'renamed',
      platform: 'darwin',
      arch: null,
      appVersion: null,
      updatedAt: expect.any(Number),
    });
    expect(again.updatedAt).toBeGreaterThanOrEqual(data.updatedAt + 5_000);
    expect(expectStatus(await get(data.id), 200).data).toEqual(again);
  });

  it('shows the agents that the machine announced last', async () => {
    const options = [{ id: 'model', category: 'model' }];
    const opencode = { name: 'opencode', title: 'OpenCode', version: '1.2.3', modes: ['build', 'plan'], options };
    const agents = [opencode, { name: 'a-2' }, { name: 'b', title: null, modes: [] }];
    const { data } = expectStatus(await register(device, { ...BODY, agents }), 201);
    expect(data.agents).toEqual([
      opencode,
      { name: 'a-2', title: null, version: null, modes: [], options: [] },
      { name: 'b', title: null, version: null, modes: [], options: [] },
    ]);
    expect(expectStatus(await get(data.id), 200).data).toEqual(data);
    expect(expectStatus(await register(device, { ...BODY, agents: [{ name: 'c' }] }), 200).data.agents).toHaveLength(1);
    expect(expectStatus(await register(device, { ...BODY, agents: [] }), 200).data.agents).toEqual([]);
    expectStatus(await register(device, { ...BODY, agents: [{ name: 'd' }] }), 200);
    expect(expectStatus(await register(device, BODY), 200).data.agents).toEqual([]);
  });

  it.each([
    ['sixteen', 16, 201],
    ['seventeen', 17, 400],
  ])('takes or refuses the announcement of %s agents', async (_, length, status) => {
    const agents = Array.from({ length }, (_each, n) => ({ name: `agent-${n}` }));
    expect((await register(device, { ...BODY, agents })).status).toBe(status);
  });

  it('creates one machine for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => register(device, BODY)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
  });

  it('is 403 for an account device, and 401 for an access token', async () => {
    expectProblem(await register(ada, BODY), 403, 'forbidden');
    expectProblem(await service.http.post('/v1/machines', token, BODY), 401, 'invalid_token');
  });

  it.each([
    [{ name: undefined }, ['/name']],
    [{ name: '' }, ['/name']],
    [{ name: ' ' }, ['/name']],
    [{ name: 'n'.repeat(101) }, ['/name']],
    [{ name: 'a\u0007b' }, ['/name']],
    [{ platform: undefined }, ['/platform']],
    [{ platform: 'p'.repeat(65) }, ['/platform']],
    [{ arch: 7 }, ['/arch']],
    [{ appVersion: '' }, ['/appVersion']],
    [{ agents: {} }, ['/agents']],
    [{ agents: [{ name: 'a' }, { name: 'a' }] }, ['/agents']],
    [{ agents: [{}] }, ['/agents/0/name']],
    [{ agents: [{ name: '' }] }, ['/agents/0/name']],
    [{ agents: [{ name: 'a_b' }] }, ['/agents/0/name']],
    [{ agents: [{ name: 'A' }] }, ['/agents/0/name']],
    [{ agents: [{ name: 'n'.repeat(65) }] }, ['/agents/0/name']],
    [{ agents: [{ name: 'a', title: '' }] }, ['/agents/0/title']],
    [{ agents: [{ name: 'a', modes: 'ask' }] }, ['/agents/0/modes']],
    [{ agents: [{ name: 'a', modes: ['a b'] }] }, ['/agents/0/modes']],
    [{ agents: [{ name: 'a', modes: ['x', 'x'] }] }, ['/agents/0/modes']],
    [{ agents: [{ name: 'a', title: 't'.repeat(101) }] }, ['/agents/0/title']],
    [{ agents: [{ name: 'a', version: 'v'.repeat(65) }] }, ['/agents/0/version']],
    [{ agents: [{ name: 'a', modes: ['m'.repeat(65)] }] }, ['/agents/0/modes']],
    [{ agents: [{ name: 'a', modes: Array.from({ length: 33 }, (_, n) => `m${n}`) }] }, ['/agents/0/modes']],
    [{ agents: [{ name: 'a', options: Array(33).fill({ id: 'o' }) }] }, ['/agents/0/options']],
    [{ agents: [{ name: 'a', options: [{ category: 'model' }] }] }, ['/agents/0/options/0/id']],
    [{ agents: [{ name: 'a', options: [{ id: 'o', category: 'é' }] }] }, ['/agents/0/options/0/category']],
    [{ agents: [{ name: 'a', command: 'sh' }] }, ['/agents/0/command']],
    [{ state: 'online', capabilities: [] }, ['/capabilities', '/state']],
  ])('rejects %j', async (extra, faults) => {
    expect(expectViolationPaths(await register(device, { ...BODY, ...extra })).sort()).toEqual(faults);
  });

  it('is 404 for a machine of another account and for a malformed id', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { data } = expectStatus(await register(await eve.pairDevice('machine'), BODY), 201);
    const details = new Set<string>();
    for (const id of [data.id, 'mch_00000000000000000000000000', 'nonsense', '%00', device.id]) {
      details.add(expectProblem(await get(id), 404, 'not_found').detail);
    }
    expect(details.size).toBe(1);
  });
});
