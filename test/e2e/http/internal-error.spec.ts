import BuiltServiceEnvironment from '../../support/built/environment';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('an unexpected error', () => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await Service.start();
    const ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:read']));
  });
  afterAll(() => service?.stop());

  it('is 500 internal_error without details, with the request id of its log line', async () => {
    await queryDatabase(service, 'ALTER TABLE machines RENAME TO machines_elsewhere');
    const httpResponse = await service.http.get('/external/v1/machines?state=online', token);
    await queryDatabase(service, 'ALTER TABLE machines_elsewhere RENAME TO machines');

    expect(httpResponse.status).toBe(500);
    expect(httpResponse.headers.get('content-type')).toBe('application/problem+json');
    expect(httpResponse.body).toEqual({
      type: `${service.url}/docs/errors#internal_error`,
      title: 'Internal error',
      status: 500,
      detail: expect.any(String),
      code: 'internal_error',
      requestId: httpResponse.headers.get('x-request-id'),
    });
    const text = JSON.stringify(httpResponse.body) + JSON.stringify([...httpResponse.headers]);
    for (const inside of ['machines', 'SELECT', 'Error:', '.ts', 'node_modules', 'relation']) {
      expect(text).not.toContain(inside);
    }
    expect(httpResponse.headers.get('x-ratelimit-limit')).toBe('600');
    expect(httpResponse.headers.get('cache-control')).toBe('private, no-cache');

    const lines = service.logs.filter((line) => line.includes(httpResponse.body.requestId));
    expect(lines.some((line) => line.includes('does not exist'))).toBe(true);
    expectStatus(await service.http.get('/external/v1/machines', token), 200);
  });

  it('shows its cause in the failure of the test that got it, without the token', async () => {
    await queryDatabase(service, 'ALTER TABLE machines RENAME TO machines_elsewhere');
    await service.http.get('/external/v1/machines', token);
    await queryDatabase(service, 'ALTER TABLE machines_elsewhere RENAME TO machines');

    const failure = new Error('expected 200, received 500');
    BuiltServiceEnvironment.prototype.handleTestEvent.call(
      { global: globalThis },
      { name: 'test_fn_failure', error: failure },
    );
    expect(failure.message).toContain('expected 200, received 500\n\nThe service answered 500:\n');
    expect(failure.message).toContain('  | QueryFailedError: relation "machines" does not exist');
    expect(failure.message).toContain('src/modules/machines/machines.service.ts');
    expect(failure.stack).toContain(failure.message);
    expect(failure.stack).not.toContain(token);
  });
});
