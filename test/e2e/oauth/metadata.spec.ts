import { SCOPE_NAMES } from '../../../src/access/auth';
import { Service } from '../../support/service';

const WELL_KNOWN_PATH = '/.well-known/oauth-authorization-server';

describe(`GET ${WELL_KNOWN_PATH} (RFC 8414)`, () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('contains all members that clients need (§2)', async () => {
    const httpResponse = await service.http.get(WELL_KNOWN_PATH);
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const oauth = `${service.url}/external/v1/oauth`;
    const methods = ['client_secret_basic', 'client_secret_post'];
    expect(httpResponse.body).toEqual({
      issuer: service.url,
      authorization_endpoint: `${oauth}/authorize`,
      token_endpoint: `${oauth}/token`,
      revocation_endpoint: `${oauth}/revoke`,
      introspection_endpoint: `${oauth}/introspect`,
      scopes_supported: expect.arrayContaining([
        'sessions:read',
        'sessions:write',
        'sessions:content',
        'machines:read',
        'artifacts:read',
        'artifacts:content',
        'artifacts:write',
        'webhooks:manage',
        'usage:read',
        'profile:read',
      ]),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: methods,
      revocation_endpoint_auth_methods_supported: methods,
      introspection_endpoint_auth_methods_supported: methods,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${service.url}/docs/oauth`,
    });
  });

  it('contains every scope except those that run commands or approve them', async () => {
    const { body } = await service.http.get(WELL_KNOWN_PATH);
    const others = SCOPE_NAMES.filter((scope) => !/^(machines:invoke|sessions:approve)/.test(scope));
    expect([...body.scopes_supported].sort()).toEqual(others.sort());
  });

  it('contains only the public URL (§3.3)', async () => {
    const other = await Service.start({ PUBLIC_URL: 'https://api.example' });
    const { body } = await other.http.get(WELL_KNOWN_PATH);
    await other.stop();
    expect(body.issuer).toBe('https://api.example');
    expect(body.token_endpoint).toBe('https://api.example/external/v1/oauth/token');
  });

  it('is readable from any origin and links to existing documentation', async () => {
    const httpResponse = await service.http.get(WELL_KNOWN_PATH, undefined, {
      headers: { Origin: 'https://app.example' },
    });
    expect(httpResponse.headers.get('access-control-allow-origin')).toBe('*');
    const page = await service.http.get(new URL(httpResponse.body.service_documentation).pathname);
    expect(page.status).toBe(200);
    expect(page.body).toContain('/external/v1/oauth/token');
  });
});
