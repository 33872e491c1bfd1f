import { Controller, Get, Module } from '@nestjs/common';
import { RequireScopes } from '../../../src/access/auth';
import { DAY } from '../../../src/common/clock';
import { Deprecated } from '../../../src/access/deprecation';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const deprecatedAt = Date.UTC(2026, 0, 1);

@Controller('external/v1/old-things')
class OldThingsController {
  @Get()
  @Deprecated({
    id: 'old-things',
    message: 'Use sessions instead.',
    deprecatedAt,
    sunsetAt: Date.now() + 30 * DAY,
    replacement: '/external/v1/sessions',
  })
  @RequireScopes('sessions:read')
  list() {
    return { data: [], nextCursor: null };
  }
}

@Module({ controllers: [OldThingsController] })
class OldThingsModule {}

describe('a deprecated route', () => {
  let service: Service;
  let token: string;

  beforeAll(async () => {
    service = await Service.start({}, undefined, [OldThingsModule]);
    const ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read']));
  });
  afterAll(() => service?.stop());

  const old = (credential?: string) =>
    fetch(`${service.url}/external/v1/old-things`, {
      headers: credential ? { Authorization: `Bearer ${credential}` } : {},
    });

  /** Returns the notices of this test's route: the service may have deprecated others. */
  const listOwnNotices = async (): Promise<{ id: string; docUrl: string }[]> => {
    const { data } = expectStatus(await service.http.get('/external/v1/me', token), 200);
    return data.deprecations.filter(({ id }: { id: string }) => id === 'old-things');
  };

  it('sends the headers with every response, including errors', async () => {
    for (const answer of [await old(token), await old()]) {
      expect(answer.headers.get('deprecation')).toBe(`@${deprecatedAt / 1000}`);
      expect(new Date(answer.headers.get('sunset')!).getTime()).toBeGreaterThan(Date.now());
      expect(answer.headers.get('link')).toBe(
        `<${service.url}/docs/deprecations#old-things>; rel="deprecation"; type="text/html", ` +
          `<${service.url}/external/v1/sessions>; rel="successor-version"`,
      );
    }
    expect((await old(token)).status).toBe(200);
  });

  it('is listed by /me', async () => {
    expect(await listOwnNotices()).toEqual([
      {
        id: 'old-things',
        method: 'GET',
        path: '/external/v1/old-things',
        message: 'Use sessions instead.',
        deprecatedAt,
        sunsetAt: expect.any(Number),
        replacement: '/external/v1/sessions',
        docUrl: `${service.url}/docs/deprecations#old-things`,
      },
    ]);
  });

  it('is explained where its link leads', async () => {
    const [notice] = await listOwnNotices();
    const { pathname, hash } = new URL(notice!.docUrl);
    const { status, body } = await service.http.get(pathname);
    expect(status).toBe(200);
    expect(body).toContain(`id="${hash.slice(1)}"`);
    expect(body).toContain('Use sessions instead. Deprecated since 2026-01-01. Its sunset is on 2');
    expect(body).toContain('Its replacement is <code>/external/v1/sessions</code>.');
  });

  it('is 410 after its sunset', async () => {
    service.advanceClock(31 * DAY);
    const answer = await old(token);
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([410, null]);
    expect(await answer.json()).toMatchObject({ code: 'gone' });
    expect(await listOwnNotices()).toEqual([]);
  });
});
