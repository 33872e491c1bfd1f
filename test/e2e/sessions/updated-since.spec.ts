import { DeviceSession } from '../../support/device/device-session';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const SESSIONS = '/external/v1/sessions';

describe('the time at which a session was updated', () => {
  let service: Service;
  let token: string;
  let session: DeviceSession;
  beforeAll(async () => {
    service = await Service.start();
    const ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read']));
    session = await DeviceSession.createSession(ada);
  });
  afterAll(() => service?.stop());

  const readSession = async () => expectStatus(await service.http.get(`${SESSIONS}/${session.id}`, token), 200).data;
  const listSince = async (time: number): Promise<string[]> => {
    const { data } = expectStatus(await service.http.get(`${SESSIONS}?updatedSince=${time}`, token), 200);
    return data.map(({ id }: { id: string }) => id);
  };

  it.each([10_000, 59_000, 61_000])(
    'is that of an append %d ms later, also for the filter updatedSince',
    async (ms) => {
      const before = await readSession();
      service.advanceClock(ms);
      await session.appendMessages(`after-${ms}`);
      const { updatedAt, lastActiveAt } = await readSession();
      expect(updatedAt).toBe(lastActiveAt);
      expect(updatedAt).toBeGreaterThanOrEqual(before.updatedAt + ms);
      expect(await listSince(updatedAt)).toEqual([session.id]);
      expect(await listSince(updatedAt + 1)).toEqual([]);
    },
  );
});
