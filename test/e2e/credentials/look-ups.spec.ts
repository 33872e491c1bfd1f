import { Clock } from '../../../src/common/clock';
import { UnitOfWork } from '../../../src/persistence';
import { query } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { Service } from '../../support/service';

const DAY = 86_400_000;
const PATH = '/v1/account/external-tokens';

describe('looking tokens up', () => {
  let service: Service;
  let ada: AccountDevice;
  let statements: jest.SpiedFunction<UnitOfWork['query']>;
  const me = (token: string) => service.http.get('/external/v1/me', token);
  const use = async (token: string) => {
    const { status, body } = await me(token);
    return status === 200 ? 'ok' : `${status} ${body.reason ?? body.code}`;
  };
  const lookUps = () =>
    statements.mock.calls.filter(([sql]) => /external_token_secrets s JOIN|FROM device_tokens/.test(sql)).length;

  beforeAll(async () => {
    service = await Service.start();
    statements = jest.spyOn(service.app.get(UnitOfWork, { strict: false }), 'query');
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    statements.mockClear();
  });

  it('asks the database at most once in half a second', async () => {
    const { token } = await ada.createToken(['usage:read']);
    statements.mockClear();
    const began = performance.now();
    for (let i = 0; i < 50; i++) expect(await use(token)).toBe('ok');
    expect(lookUps()).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 500));

    service.advance(500);
    statements.mockClear();
    expect(await use(token)).toBe('ok');
    expect(lookUps()).toBe(1);
  });

  it('asks once for calls that come at once, of devices too', async () => {
    const { token } = await ada.createToken(['usage:read']);
    service.advance(500);
    statements.mockClear();
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => me(token)),
      ...Array.from({ length: 10 }, () => service.http.get('/v1/account', ada.token)),
    ]);
    for (const answer of answers) ok(answer, 200);
    expect(lookUps()).toBe(2);
  });

  it('judges what it found by the clock of each call', async () => {
    const { id, token: old } = await ada.createToken(['usage:read'], { expiresInDays: 1 });
    const { createdAt } = ok(await service.http.get(`${PATH}/${id}`, ada.token), 200).data;
    const rotation = await service.http.post(`${PATH}/${id}/rotate`, ada.token, { overlapSeconds: 60 });
    const [{ ends_at: endsAt }] = (await query(
      service,
      'SELECT ends_at FROM external_token_secrets WHERE token_id = $1 AND superseded',
      [id],
    )) as [{ ends_at: Date }];
    const now = jest.spyOn(service.app.get(Clock), 'now');
    const dies = async (token: string, at: number, reason: string) => {
      now.mockReturnValue(at - 1);
      expect(await use(token)).toBe('ok');
      statements.mockClear();
      now.mockReturnValue(at);
      expect(await use(token)).toBe(`401 ${reason}`);
      expect(lookUps()).toBe(0);
    };
    await dies(old, endsAt.getTime(), 'revoked');
    await dies(ok(rotation, 200).token, createdAt + DAY, 'expired');
    now.mockRestore();
  });

  it('shows a last use as soon as it is noted, and notes it once', async () => {
    const { token } = await ada.createToken(['usage:read']);
    const lastUse = async () => ok(await me(token), 200).data.token.lastUsedAt;
    const touches = () => statements.mock.calls.filter(([sql]) => sql.includes('SET last_used_at')).length;
    expect(await lastUse()).toBeNull();
    const noted = await eventually(async () => {
      const at = await lastUse();
      expect(at).not.toBeNull();
      return at;
    });
    const written = touches();
    expect(await lastUse()).toBe(noted);
    expect(touches()).toBe(written);
    const [listed] = ok(await service.http.get(PATH, ada.token), 200).data;
    expect(listed.lastUsedAt).toBe(noted);
  });
});
