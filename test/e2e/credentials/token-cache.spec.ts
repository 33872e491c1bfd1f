import { Clock } from '../../../src/common/clock';
import { UnitOfWork } from '../../../src/core/database';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { Service } from '../../support/service';

const DAY = 86_400_000;
const PATH = '/v1/account/external-tokens';

describe('the token cache', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let statements: jest.SpiedFunction<UnitOfWork['queryRows']>;
  let frozenClock: jest.SpiedFunction<() => number>[] = [];
  const me = (token: string) => service.http.get('/external/v1/me', token);
  const use = async (token: string) => {
    const { status, body } = await me(token);
    return status === 200 ? 'ok' : `${status} ${body.reason ?? body.code}`;
  };
  /** Stops both clocks of the service, so that the age of a lookup does not depend on the speed of the machine. */
  const freezeClock = () => {
    const clock = service.app.get(Clock);
    const [wall, monotonic] = [clock.now(), clock.monotonicMs()];
    const now = jest.spyOn(clock, 'now').mockReturnValue(wall);
    const monotonicMs = jest.spyOn(clock, 'monotonicMs').mockReturnValue(monotonic);
    frozenClock = [now, monotonicMs];
    return {
      now,
      advance: (ms: number) => {
        now.mockReturnValue(wall + ms);
        monotonicMs.mockReturnValue(monotonic + ms);
      },
    };
  };
  const lookUps = () =>
    statements.mock.calls.filter(([sql]) => /external_token_secrets s JOIN|FROM device_tokens/.test(sql)).length;

  beforeAll(async () => {
    service = await Service.start();
    statements = jest.spyOn(service.app.get(UnitOfWork, { strict: false }), 'queryRows');
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    statements.mockClear();
  });
  afterEach(() => frozenClock.forEach((spy) => spy.mockRestore()));

  it('queries the database at most once in half a second', async () => {
    const { token } = await ada.createToken(['usage:read']);
    const { advance } = freezeClock();
    statements.mockClear();
    for (const ms of [0, 250, 499]) {
      advance(ms);
      for (let i = 0; i < 10; i++) expect(await use(token)).toBe('ok');
    }
    expect(lookUps()).toBe(1);

    advance(500);
    expect(await use(token)).toBe('ok');
    expect(lookUps()).toBe(2);
  });

  it('queries once for concurrent calls, also of devices', async () => {
    const { token } = await ada.createToken(['usage:read']);
    freezeClock().advance(500);
    statements.mockClear();
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => me(token)),
      ...Array.from({ length: 10 }, () => service.http.get('/v1/account', ada.token)),
    ]);
    for (const answer of answers) expectStatus(answer, 200);
    expect(lookUps()).toBe(2);
  });

  it('checks the expiry of a cached token at every call', async () => {
    const { id, token: old } = await ada.createToken(['usage:read'], { expiresInDays: 1 });
    const { createdAt } = expectStatus(await service.http.get(`${PATH}/${id}`, ada.token), 200).data;
    const rotation = await service.http.post(`${PATH}/${id}/rotate`, ada.token, { overlapSeconds: 60 });
    const [{ ends_at: endsAt }] = (await queryDatabase(
      service,
      'SELECT ends_at FROM external_token_secrets WHERE token_id = $1 AND superseded',
      [id],
    )) as [{ ends_at: Date }];
    const { now } = freezeClock();
    const dies = async (token: string, at: number, reason: string) => {
      now.mockReturnValue(at - 1);
      expect(await use(token)).toBe('ok');
      statements.mockClear();
      now.mockReturnValue(at);
      expect(await use(token)).toBe(`401 ${reason}`);
      expect(lookUps()).toBe(0);
    };
    await dies(old, endsAt.getTime(), 'revoked');
    await dies(expectStatus(rotation, 200).token, createdAt + DAY, 'expired');
  });

  it('shows a last use as soon as it is recorded, and records it once', async () => {
    const { token } = await ada.createToken(['usage:read']);
    const lastUse = async () => expectStatus(await me(token), 200).data.token.lastUsedAt;
    const touches = () => statements.mock.calls.filter(([sql]) => sql.includes('SET last_used_at')).length;
    expect(await lastUse()).toBeNull();
    const noted = await waitFor(async () => {
      const at = await lastUse();
      expect(at).not.toBeNull();
      return at;
    });
    const written = touches();
    expect(await lastUse()).toBe(noted);
    expect(touches()).toBe(written);
    const [listed] = expectStatus(await service.http.get(PATH, ada.token), 200).data;
    expect(listed.lastUsedAt).toBe(noted);
  });
});
