import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { advanceTime } from '../../support/advance-time';
import { Service } from '../../support/service';

const MINUTE = 60_000;

describe('wrong pairing codes', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const enter = (code: string, by: ForeignDevice = ada) => service.http.get(`/v1/pairings/code/${code}`, by.token);
  const enterWrong = async (times: number) => {
    for (let i = 0; i < times; i++) expect((await enter('ABCD-2345')).status).toBe(404);
  };
  const closed = async (code: string) => {
    const answers = [
      await enter(code),
      await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment: 'x' }),
      await service.http.post(`/v1/pairings/code/${code}/deny`, ada.token, {}),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(429);
      expect(answer.body.code).toBe('rate_limited');
      const wait = Number(answer.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(600);
    }
  };
  const newCode = async () => (await new ForeignDevice(service.http).requestPairing('machine')).code;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('lock only this account’s code entry after ten, even for right codes', async () => {
    const code = await newCode();
    await enterWrong(10);
    await closed(code);
    const bob = await ForeignAccountDevice.signUp(service.http);
    expectStatus(await enter(code, bob), 200);
    expectStatus(await service.http.get('/v1/devices', ada.token), 200);
  });

  it('lock it for every device of the account', async () => {
    const laptop = await ada.pairDevice('account');
    await enterWrong(5);
    for (let i = 0; i < 5; i++) expect((await enter('ABCD-2345', laptop)).status).toBe(404);
    expect((await enter(await newCode(), laptop)).status).toBe(429);
  });

  it('don’t lock it after nine', async () => {
    await enterWrong(9);
    expectStatus(await enter(await newCode()), 200);
  });

  it('lock it for ten minutes after the tenth', async () => {
    await enterWrong(5);
    await advanceTime(service, 8 * MINUTE);
    await enterWrong(5);
    await advanceTime(service, 10 * MINUTE - 5_000);
    await closed(await newCode());
    await advanceTime(service, 5_000);
    expectStatus(await enter(await newCode()), 200);
    await enterWrong(9);
    expectStatus(await enter(await newCode()), 200);
  });

  it('expire after ten minutes', async () => {
    await enterWrong(9);
    await advanceTime(service, 10 * MINUTE);
    await enterWrong(9);
    expectStatus(await enter(await newCode()), 200);
  });

  it('don’t bypass the lock when guessed concurrently', async () => {
    const code = await newCode();
    await Promise.all(Array.from({ length: 20 }, () => enter('ABCD-2345')));
    await closed(code);
  });
});
