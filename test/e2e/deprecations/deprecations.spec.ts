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
    docPath: '/docs/errors',
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

  it('sends the headers with every response, including errors', async () => {
    for (const answer of [await old(token), await old()]) {
      expect(answer.headers.get('deprecation')).toBe(`@${deprecatedAt / 1000}`);
      expect(new Date(answer.headers.get('sunset')!).getTime()).toBeGreaterThan(Date.now());
      expect(answer.headers.get('link')).toBe(
        `<${service.url}/docs/errors>; rel="deprecation"; type="text/html", ` +
          `<${service.url}/external/v1/sessions>; rel="successor-version"`,
      );
    }
    expect((await old(token)).status).toBe(200);
  });

  it('is listed by /me', async () => {
    const { data } = expectStatus(await service.http.get('/external/v1/me', token), 200);
    expect(data.deprecations).toEqual([
      {
        id: 'old-things',
        method: 'GET',
        path: '/external/v1/old-things',
        message: 'Use sessions instead.',
        deprecatedAt,
        sunsetAt: expect.any(Number),
        replacement: '/external/v1/sessions',
        docUrl: `${service.url}/docs/errors`,
      },
    ]);
  });

  it('is 410 after its sunset', async () => {
    service.advanceClock(31 * DAY);
    const answer = await old(token);
    expect(answer.status).toBe(410);
    expect(await answer.json()).toMatchObject({ code: 'gone' });
    const { data } = expectStatus(await service.http.get('/external/v1/me', token), 200);
    expect(data.deprecations).toEqual([]);
  });
});
