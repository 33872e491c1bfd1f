import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { expectViolationPaths } from '../../support/problems';
import { Service } from '../../support/service';

const AGENT = { name: 'open-code-2', title: 'OpenCode', mode: 'build' };

describe('the agent of a session', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let host: ForeignDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    host = await ada.pairDevice('machine');
    ({ token } = await ada.createToken(['sessions:read']));
  });
  afterAll(() => service?.stop());

  const create = (extra: object) =>
    service.http.post('/v1/sessions', host.token, new SessionBodyBuilder(ada).buildCreateBody(extra));
  const createId = async (extra: object): Promise<string> => expectStatus(await create(extra), 201).data.id;
  const patch = (id: string, json: object) =>
    service.http.request('PATCH', `/v1/sessions/${id}`, { token: host.token, json });
  const read = async (id: string) =>
    expectStatus(await service.http.get(`/external/v1/sessions/${id}`, token), 200).data;

  it.each([
    { agent: AGENT, shown: AGENT },
    { agent: { ...AGENT, mode: null }, shown: { ...AGENT, mode: null } },
    { agent: { name: 'x', title: 'X' }, shown: { name: 'x', title: 'X', mode: null } },
    { agent: null, shown: null },
  ])('is shown to callers as its device created it: $agent', async ({ agent, shown }) => {
    expect((await read(await createId({ agent }))).agent).toEqual(shown);
  });

  it('is replaced as a whole, and null or no member leaves it as it is', async () => {
    const id = await createId({ agent: AGENT });
    const other = { name: 'gemini', title: 'Gemini CLI' };
    expect(expectStatus(await patch(id, { agent: other }), 200).data).toMatchObject({
      agent: { ...other, mode: null },
      version: 1,
    });
    for (const change of [{ agent: null }, { state: 'ended' }]) {
      expectStatus(await patch(id, change), 200);
      expect((await read(id)).agent).toEqual({ ...other, mode: null });
    }
    const declared = await createId({});
    expectStatus(await patch(declared, { agent: AGENT }), 200);
    expect((await read(declared)).agent).toEqual(AGENT);
  });

  it.each([
    { agent: 'opencode', paths: ['/agent'] },
    { agent: [AGENT], paths: ['/agent'] },
    { agent: {}, paths: ['/agent/name', '/agent/title'] },
    { agent: { ...AGENT, name: '' }, paths: ['/agent/name'] },
    { agent: { ...AGENT, name: 'Open Code' }, paths: ['/agent/name'] },
    { agent: { ...AGENT, name: 'a'.repeat(65) }, paths: ['/agent/name'] },
    { agent: { ...AGENT, title: '' }, paths: ['/agent/title'] },
    { agent: { ...AGENT, title: 'a'.repeat(129) }, paths: ['/agent/title'] },
    { agent: { ...AGENT, title: 'a\u0000b' }, paths: ['/agent/title'] },
    { agent: { ...AGENT, mode: '' }, paths: ['/agent/mode'] },
    { agent: { ...AGENT, mode: 'a'.repeat(65) }, paths: ['/agent/mode'] },
    { agent: { ...AGENT, mode: 1 }, paths: ['/agent/mode'] },
    { agent: { ...AGENT, version: '1' }, paths: ['/agent/version'] },
  ])('is rejected at $paths if malformed: $agent', async ({ agent, paths }) => {
    expect(expectViolationPaths(await create({ agent }))).toEqual(paths);
    const id = await createId({ agent: AGENT });
    expect(expectViolationPaths(await patch(id, { agent }))).toEqual(paths);
    expect((await read(id)).agent).toEqual(AGENT);
  });
});
