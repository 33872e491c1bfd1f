import { query } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('an unexpected error', () => {
  let service: Service;
  let token: string;
  beforeAll(async () => {
    service = await Service.start();
    const ada = await AccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:read']));
  });
  afterAll(() => service?.stop());

  it('is a bare 500 internal_error whose request id leads to the log line', async () => {
    await query(service, 'ALTER TABLE machines RENAME TO machines_elsewhere');
    const answer = await service.http.get('/external/v1/machines?state=online', token);
    await query(service, 'ALTER TABLE machines_elsewhere RENAME TO machines');

    expect(answer.status).toBe(500);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toEqual({
      type: `${service.url}/docs/errors#internal_error`,
      title: 'Internal error',
      status: 500,
      detail: expect.any(String),
      code: 'internal_error',
      requestId: answer.headers.get('x-request-id'),
    });
    const text = JSON.stringify(answer.body) + JSON.stringify([...answer.headers]);
    for (const inside of ['machines', 'SELECT', 'Error:', '.ts', 'node_modules', 'relation']) {
      expect(text).not.toContain(inside);
    }
    expect(answer.headers.get('x-ratelimit-limit')).toBe('600');
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');

    const lines = service.logs.filter((line) => line.includes(answer.body.requestId));
    expect(lines.some((line) => line.includes('does not exist'))).toBe(true);
    ok(await service.http.get('/external/v1/machines', token), 200);
  });
});
