import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiNode } from '../../support/conformance';
import { Service } from '../../support/service';

/** All endpoints of the contract, below `{base}` (`/external/v1`) and `{host}`. */
const ENDPOINTS = `
  GET    {base}/me
  GET    {base}/sessions
  GET    {base}/sessions/{id}
  GET    {base}/sessions/{id}/content
  GET    {base}/sessions/{id}/messages
  POST   {base}/sessions/{id}/messages
  GET    {base}/sessions/{id}/messages/{msgId}/content
  GET    {base}/sessions/{id}/queued-messages
  DELETE {base}/sessions/{id}/queued-messages/{queuedMessageId}
  GET    {base}/sessions/{id}/turns
  GET    {base}/sessions/{id}/turns/{turnId}
  POST   {base}/sessions/{id}/turns/{turnId}/cancel
  POST   {base}/sessions/{id}/end
  GET    {base}/sessions/{id}/options
  PATCH  {base}/sessions/{id}/options
  GET    {base}/sessions/{id}/permission-requests
  GET    {base}/sessions/{id}/permission-requests/{permissionId}
  GET    {base}/sessions/{id}/permission-requests/{permissionId}/content
  POST   {base}/sessions/{id}/permission-requests/{permissionId}/decision
  GET    {base}/machines
  GET    {base}/machines/{id}
  POST   {base}/machines/{id}/invoke
  POST   {base}/machines/{id}/sessions
  GET    {base}/events
  GET    {base}/sessions/{id}/events
  GET    {base}/machines/{id}/agent-sessions
  GET    {base}/machines/{id}/invocations
  POST   {base}/machines/{id}/invocations
  GET    {base}/machines/{id}/invocations/{invocationId}
  POST   {base}/machines/{id}/invocations/{invocationId}/cancel
  GET    {base}/machines/{id}/invocations/{invocationId}/output
  GET    {base}/machines/{id}/invocations/{invocationId}/events
  GET    {base}/artifacts
  GET    {base}/artifacts/{id}
  GET    {base}/artifacts/{id}/content
  GET    {base}/usage
  GET    {base}/webhooks
  POST   {base}/webhooks
  GET    {base}/webhooks/{id}
  DELETE {base}/webhooks/{id}
  GET    {base}/openapi.json
  GET    {base}/oauth/authorize
  POST   {base}/oauth/token
  POST   {base}/oauth/revoke
  POST   {base}/oauth/introspect
  POST   {host}/v1/account/external-tokens
  POST   {host}/v1/developer/apps
  POST   {host}/v1/sessions/{id}/key-grants
`;
const HOST_ENDPOINTS = ['/v1/account/external-tokens', '/v1/developer/apps', '/v1/sessions/{id}/key-grants'] as const;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

describe('the served document', () => {
  let service: Service;
  let document: OpenApiNode;

  beforeAll(async () => {
    service = await Service.start();
    document = (await service.http.get('/external/v1/openapi.json')).body;
  });
  afterAll(() => service?.stop());

  /**
   * Returns `METHOD URL` of each operation as clients build it: the nearest `servers` and the path (OpenAPI §4.8.5).
   */
  const urls = () =>
    Object.entries<OpenApiNode>(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => {
        const [server, ...others] = item[method].servers ?? item.servers ?? document.servers;
        expect(others).toEqual([]);
        return `${method.toUpperCase()} ${server.url}${path}`;
      }),
    );

  it('describes exactly the endpoints of the contract, each at its own URL', () => {
    const base = `${service.url}/external/v1`;
    const expected = ENDPOINTS.trim()
      .split('\n')
      .map((line) => line.trim().replace(/ +/, ' '))
      .map((line) => line.replace('{base}', base).replace('{host}', service.url));
    expect(urls().sort()).toEqual(expected.sort());
  });

  it('requires the scopes that the table of endpoints names', () => {
    const page = readFileSync(join(__dirname, '../../../docs/protocol/external-api.md'), 'utf8');
    const rows = [...page.matchAll(/^\| (`[A-Z]+ \/[^|]*)\| ([^|]*)\|/gm)];
    const documented = rows.flatMap(([, endpoints, scopes]) =>
      [...endpoints!.matchAll(/`([A-Z]+) (\/[^`]*)`/g)].map(([, method, path]) => [
        `${method} ${path}`,
        [...scopes!.matchAll(/`(\w+:\w+)`/g)].map(([, scope]) => scope),
      ]),
    );
    const served = documented.map(([endpoint]) => {
      const [method, path] = (endpoint as string).split(' ');
      return [endpoint, document.paths[path!][method!.toLowerCase()]['x-required-scopes'] ?? []];
    });
    expect(served).toEqual(documented);
    const withScopes = Object.values<OpenApiNode>(document.paths)
      .flatMap((item) => METHODS.map((method) => item[method]?.['x-required-scopes'] ?? []))
      .filter((scopes) => scopes.length > 0);
    expect(documented.filter(([, scopes]) => scopes!.length > 0)).toHaveLength(withScopes.length);
  });

  it.each(HOST_ENDPOINTS)('asks for a device token at %s, and for nothing else', (path) => {
    const { post } = document.paths[path];
    expect(post).toMatchObject({
      security: [{ device: [] }],
      'x-required-scopes': [],
      'x-rate-limit-bucket': 'device',
    });
    expect(document.components.securitySchemes.device).toMatchObject({ type: 'http', scheme: 'bearer' });
  });
});
