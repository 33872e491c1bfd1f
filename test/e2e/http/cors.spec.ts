import { ForeignAccountDevice } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { Service } from '../../support/service';

const ORIGIN = { Origin: 'https://app.example' };
const EXPOSED = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'ratelimit-policy',
  'ratelimit',
  'retry-after',
  'www-authenticate',
  'idempotency-replayed',
  'deprecation',
  'sunset',
  'link',
];

describe('calls from another origin', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  const isOpen = ({ headers }: HttpResponse) => {
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:read']));
  });
  afterAll(() => service?.stop());

  it('get 204 for a preflight without a credential', async () => {
    const httpResponse = await service.http.request('OPTIONS', '/external/v1/machines/mch_1/invoke', {
      headers: {
        ...ORIGIN,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
      },
    });
    expect(httpResponse.status).toBe(204);
    expect(httpResponse.body).toBeNull();
    isOpen(httpResponse);
    const methods = httpResponse.headers.get('access-control-allow-methods')!.split(',');
    const { paths } = (await service.http.get('/external/v1/openapi.json')).body as { paths: Record<string, object> };
    const used = new Set(
      Object.values(paths)
        .flatMap(Object.keys)
        .filter((key) => /^(get|post|put|patch|delete)$/.test(key)),
    );
    expect(methods.sort()).toEqual([...used, 'head'].map((method) => method.toUpperCase()).sort());
    const headers = httpResponse.headers.get('access-control-allow-headers')!.toLowerCase();
    for (const name of ['authorization', 'content-type', 'idempotency-key']) expect(headers).toContain(name);
    expect(httpResponse.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it('may read all responses of the External API with their rate, id and deprecation headers', async () => {
    const answers = [
      await service.http.get('/external/v1/machines', token, { headers: ORIGIN }),
      await service.http.get('/external/v1/machines', undefined, { headers: ORIGIN }),
      await service.http.get('/external/v1/sessions', token, { headers: ORIGIN }),
      await service.http.get('/external/v1/nothing', token, { headers: ORIGIN }),
      await service.http.get('/external/v1/machines?limit=0', token, { headers: ORIGIN }),
      await service.http.request('PUT', '/external/v1/me', { headers: ORIGIN }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([200, 401, 403, 404, 400, 405]);
    for (const answer of answers) {
      isOpen(answer);
      const exposed = answer.headers.get('access-control-expose-headers')!.toLowerCase().split(/,\s*/);
      expect(exposed).toEqual(expect.arrayContaining(EXPOSED));
    }
  });

  it('are not allowed elsewhere', async () => {
    const preflight = { ...ORIGIN, 'Access-Control-Request-Method': 'GET' };
    for (const path of ['/v1/account', '/v1/auth/challenge', '/health/live', '/nowhere', '/externalv1']) {
      const answers = [
        await service.http.get(path, ada.token, { headers: ORIGIN }),
        await service.http.request('OPTIONS', path, { headers: preflight }),
      ];
      for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
