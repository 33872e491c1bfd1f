import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { passTime } from '../../support/pass-time';
import { Service } from '../../support/service';

const MINUTE = 60_000;

describe('wrong pairing codes', () => {
  let service: Service;
  let ada: AccountDevice;
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
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('close an account’s code entry after ten, for right codes too, and nobody else’s', async () => {
    const code = await newCode();
    await enterWrong(10);
    await closed(code);
    const bob = await AccountDevice.signUp(service.http);
    ok(await enter(code, bob), 200);
    ok(await service.http.get('/v1/devices', ada.token), 200);
  });

  it('close it for every device of the account', async () => {
    const laptop = await ada.adopt('account');
    await enterWrong(5);
    for (let i = 0; i < 5; i++) expect((await enter('ABCD-2345', laptop)).status).toBe(404);
    expect((await enter(await newCode(), laptop)).status).toBe(429);
  });

  it('do not close it while there are nine', async () => {
    await enterWrong(9);
    ok(await enter(await newCode()), 200);
  });

  it('close it for ten minutes from the tenth', async () => {
    await enterWrong(5);
    await passTime(service, 8 * MINUTE);
    await enterWrong(5);
    await passTime(service, 10 * MINUTE - 5_000);
    await closed(await newCode());
    await passTime(service, 5_000);
    ok(await enter(await newCode()), 200);
    await enterWrong(9);
    ok(await enter(await newCode()), 200);
  });

  it('are forgotten after ten minutes', async () => {
    await enterWrong(9);
    await passTime(service, 10 * MINUTE);
    await enterWrong(9);
    ok(await enter(await newCode()), 200);
  });

  it('that are guessed all at once do not get past the lock', async () => {
    const code = await newCode();
    await Promise.all(Array.from({ length: 20 }, () => enter('ABCD-2345')));
    await closed(code);
  });
});
