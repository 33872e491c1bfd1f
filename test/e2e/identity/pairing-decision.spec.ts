import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('the decision on a pairing', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const approve = (code: string, by: ForeignAccountDevice, device: ForeignDevice) =>
    service.http.post(`/v1/pairings/code/${code}/approve`, by.token, {
      enrollment: by.createEnrollment(device),
    });
  const deny = (code: string, by = ada) => service.http.post(`/v1/pairings/code/${code}/deny`, by.token, {});

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it.each(['approved', 'denied'])('invalidates the code once %s', async (first) => {
    const device = new ForeignDevice(service.http);
    const { id, code } = await device.requestPairing('machine');
    expectStatus(first === 'approved' ? await approve(code, ada, device) : await deny(code), 204);
    const after = [
      await service.http.get(`/v1/pairings/code/${code}`, ada.token),
      await approve(code, ada, device),
      await deny(code),
    ];
    expect(after.map((answer) => [answer.status, answer.body.code])).toEqual(after.map(() => [404, 'not_found']));
    expect((await service.http.get(`/v1/pairings/${id}`)).body.data.state).toBe(first);
  });

  it('adds the device once for two concurrent approvals', async () => {
    const device = new ForeignDevice(service.http);
    const { code } = await device.requestPairing('machine');
    const answers = await Promise.all([approve(code, ada, device), approve(code, ada, device)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404]);
    const { body } = await service.http.get('/v1/devices?limit=200', ada.token);
    const { device: adopted } = await device.signIn();
    const same = body.data.filter((other: { fingerprint: string }) => other.fingerprint === adopted.fingerprint);
    expect(same).toHaveLength(1);
  });

  it('adds the device to one account when two accounts approve concurrently', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const device = new ForeignDevice(service.http);
    const { id, code } = await device.requestPairing('machine');
    const answers = await Promise.all([approve(code, ada, device), approve(code, bob, device)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 404]);
    const winner = answers[0].status === 204 ? ada : bob;
    expect((await service.http.get(`/v1/pairings/${id}`)).body.data.accountUsername).toBe(winner.username);
    expect((await device.signIn()).account.id).toBe(winner.accountId);
  });

  it('adds the device once when it has requested two pairings', async () => {
    const device = new ForeignDevice(service.http);
    const first = await device.requestPairing('machine');
    const second = await device.requestPairing('machine');
    expectStatus(await approve(first.code, ada, device), 204);
    const again = await approve(second.code, ada, device);
    expect(again.status).toBe(409);
    expect(again.body.code).toBe('conflict');
  });

  it('is either a denial or an approval when both arrive concurrently', async () => {
    const device = new ForeignDevice(service.http);
    const { id, code } = await device.requestPairing('machine');
    const [approved, denied] = await Promise.all([approve(code, ada, device), deny(code)]);
    expect([approved.status, denied.status].sort()).toEqual([204, 404]);
    const { body } = await service.http.get(`/v1/pairings/${id}`);
    expect(body.data.state).toBe(approved.status === 204 ? 'approved' : 'denied');
  });
});
