import { ForeignAccountDevice, ForeignDevice } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

const DEVICES = 30;
const WRONG = 'AAAA-2345';

describe('concurrent pairing codes', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_ADDRESS: '10000' });
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const approve = (code: string, enrollment: string) =>
    service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment });

  it('are all accepted if they are right, some of them on a retry', async () => {
    let pending: { code: string; enrollment: string }[] = [];
    for (let n = 0; n < DEVICES; n++) {
      const device = new ForeignDevice(service.http);
      const { code } = await device.requestPairing('machine');
      pending.push({ code, enrollment: ada.createEnrollment(device) });
    }
    for (let round = 0; pending.length > 0 && round < DEVICES; round++) {
      const answers = await Promise.all(pending.map(({ code, enrollment }) => approve(code, enrollment)));
      for (const answer of answers.filter(({ status }) => status !== 204)) {
        expect(expectProblem(answer, 429, 'rate_limited').bucket).toBe('pairing-codes');
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      pending = pending.filter((_, index) => answers[index]!.status !== 204);
    }
    expect(pending).toEqual([]);
  });

  it('lock code entry exactly at the tenth wrong one', async () => {
    const enter = () => service.http.get(`/v1/pairings/code/${WRONG}`, ada.token);
    for (let n = 0; n < 10; n++) expectProblem(await enter(), 404, 'not_found');
    const refused = await enter();
    expect(expectProblem(refused, 429, 'rate_limited').bucket).toBe('pairing-lock');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
  });
});
