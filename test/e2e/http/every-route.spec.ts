import {
  DEVICE_PERMISSIONS,
  getRoutePolicy,
  SCOPE_NAMES,
  type DeviceKind,
  type RoutePolicy,
} from '../../../src/access/auth';
import { getRouteRateLimit } from '../../../src/access/rate-limiting';
import { changesData } from '../../../src/access/read-only';
import { Clock } from '../../../src/common/clock';
import { getBodyLimits, RouteRegistry, type Route } from '../../../src/common/http';
import deviceDocument from '../../../docs/protocol/device-openapi.json';
import externalDocument from '../../../openapi.json';
import { queryDatabase, readTableDigests } from '../../support/database';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import type { HttpResponse, RequestOptions } from '../../support/http-client';
import { waitFor } from '../../support/wait-for';
import { Service } from '../../support/service';

/** Lists the operations with a JSON body of both OpenAPI documents. */
function listJsonOperations(): string[] {
  return [externalDocument, deviceDocument].flatMap(({ paths, servers }) =>
    Object.entries<any>(paths).flatMap(([path, item]) =>
      BODY_METHODS.filter((method) => item[method.toLowerCase()]?.requestBody?.content['application/json']).map(
        (method) => `${method} ${item.servers ? '' : servers[0]!.url.replace(/\/$/, '')}${path}`,
      ),
    ),
  );
}

/** Routes of forms and pages, which have their own rules. */
const WITH_THESE_RULES = /^\/(external\/v1(?!\/oauth)|v1)\//;
/** Routes whose members are named by what an agent offers. */
const HAS_ANY_MEMBER = /\/options$/;
const BODY_METHODS = ['POST', 'PATCH', 'PUT'];

describe('every route', () => {
  let service: Service;
  let image: Record<string, string>;
  let routes: { route: Route; policy: RoutePolicy }[];
  let devices: Record<DeviceKind, string>;
  let allScopes: string;
  let reservedScope: string;
  let serial = 0;

  /** Calls from a new address each time, because failures consume from the bucket of the address. */
  const call = ({ method, path }: Route, options: RequestOptions = {}, query = ''): Promise<HttpResponse> => {
    const headers = { ...options.headers, 'X-Forwarded-For': `203.0.${serial >> 8}.${serial++ & 255}` };
    return service.http.request(method, `${path.replace(/\{\w+\}/g, 'unknown')}${query}`, {
      ...options,
      headers,
    });
  };
  const credential = (policy: RoutePolicy): string | undefined => {
    if (!('permission' in policy)) return policy.kind === 'token' ? allScopes : undefined;
    const { account } = DEVICE_PERMISSIONS[policy.permission];
    return account === 'no' ? devices.machine : devices.account;
  };
  /** Collects the outcomes of all routes of a kind. Each line names its route, so that a failure shows it. */
  const outcomes = async (
    chosen: (policy: RoutePolicy, route: Route) => boolean,
    of: (route: Route, policy: RoutePolicy) => Promise<unknown[]>,
  ): Promise<{ seen: unknown[][]; expect: (...outcome: unknown[]) => void }> => {
    const seen: unknown[][] = [];
    for (const { route, policy } of routes.filter(({ route: r, policy: p }) => chosen(p, r))) {
      seen.push([`${route.method} ${route.path}`, ...(await of(route, policy))]);
    }
    return {
      seen,
      expect: (...outcome) => {
        expect(seen.length).toBeGreaterThan(0);
        expect(seen).toEqual(seen.map(([name]) => [name, ...outcome]));
      },
    };
  };
  const hasBody = (_: RoutePolicy, route: Route) => BODY_METHODS.includes(route.method);
  const closed = (policy: RoutePolicy) => policy.kind !== 'public';
  const code = ({ status, body }: HttpResponse) => [status, body.code];

  beforeAll(async () => {
    const rates = { RATE_LIMIT_METADATA: '100000', RATE_LIMIT_RELAY: '100000' };
    service = await Service.start({ TRUST_PROXY: '1', ...rates });
    const ada = await ForeignAccountDevice.signUp(service.http);
    devices = { account: ada.token, machine: (await ada.pairDevice('machine')).token };
    allScopes = (await ada.createToken([...SCOPE_NAMES])).token;
    reservedScope = (await ada.createToken(['artifacts:write'])).token;
    const table = service.app.get(RouteRegistry, { strict: false });
    routes = table
      .listRoutes()
      .filter(({ path }) => WITH_THESE_RULES.test(path))
      .map((route) => ({ route, policy: getRoutePolicy(route)! }));
    // Each token's last use is recorded now, and with a stopped clock not again.
    for (const token of [allScopes, reservedScope]) await service.http.get('/external/v1/me', token);
    const unrecorded = 'SELECT id FROM external_tokens WHERE last_used_at IS NULL';
    await waitFor(async () => expect(await queryDatabase(service, unrecorded)).toEqual([]));
    const now = Date.now();
    service.app.get(Clock).now = () => now;
    image = await readTableDigests(service);
  });
  afterEach(async () => {
    expect(await readTableDigests(service)).toEqual(image);
  });
  afterAll(() => service?.stop());

  it('includes routes of each kind of caller', () => {
    expect(new Set(routes.map(({ policy }) => policy.kind))).toEqual(new Set(['public', 'token', 'device', 'control']));
    const names = routes.map(({ route }) => `${route.method} ${route.path}`);
    const known = ['GET /external/v1/me', 'POST /external/v1/machines/{id}/invoke', 'POST /v1/accounts'];
    expect(names).toEqual(expect.arrayContaining(known));
  });

  it('that is relayed is refused in read-only mode, whatever its method', () => {
    const relayed = routes.map(({ route }) => route).filter((route) => getRouteRateLimit(route)?.bucket === 'relay');
    expect(new Set(relayed.map(({ method }) => method))).toEqual(new Set(['GET', 'PATCH', 'POST']));
    const accepted = relayed.filter(({ handler }) => !changesData(handler));
    expect(accepted.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('requires a token', async () => {
    (await outcomes(closed, async (route) => code(await call(route)))).expect(401, 'missing_token');
  });

  it('rejects a malformed token', async () => {
    const options = { token: 'svc_pat_nonsense' };
    const answers = await outcomes(closed, async (route) => {
      const httpResponse = await call(route, options);
      return [...code(httpResponse), httpResponse.body.reason, httpResponse.headers.get('www-authenticate') !== null];
    });
    answers.expect(401, 'invalid_token', 'malformed', true);
  });

  it('rejects a token of another kind', async () => {
    const answers = await outcomes(closed, async (route, policy) => {
      const httpResponse = await call(route, {
        token: policy.kind === 'token' ? devices.account : allScopes,
      });
      return [...code(httpResponse), httpResponse.body.reason];
    });
    answers.expect(401, 'invalid_token', 'unknown');
  });

  it('of the External API reports missing scopes', async () => {
    const scoped = (policy: RoutePolicy) => policy.kind === 'token' && policy.scopes.length > 0;
    const answers = await outcomes(scoped, async (route, policy) => {
      const httpResponse = await call(route, { token: reservedScope });
      const scopes = policy.kind === 'token' ? [...policy.scopes] : [];
      const named = httpResponse.headers.get('www-authenticate')?.includes(`scope="${scopes.join(' ')}"`);
      return [...code(httpResponse), JSON.stringify(httpResponse.body.required) === JSON.stringify(scopes), named];
    });
    answers.expect(403, 'insufficient_scope', true, true);
  });

  it.each<DeviceKind>(['account', 'machine'])(
    'is forbidden to %s devices unless the allow-list permits it',
    async (kind) => {
      const kept = (policy: RoutePolicy) =>
        'permission' in policy && DEVICE_PERMISSIONS[policy.permission][kind] === 'no';
      (await outcomes(kept, async (route) => code(await call(route, { token: devices[kind] })))).expect(
        403,
        'forbidden',
      );
    },
  );

  it('reports an unknown query parameter', async () => {
    const answers = await outcomes(
      () => true,
      async (route, policy) => {
        const json = hasBody(policy, route) ? {} : undefined;
        const httpResponse = await call(route, { token: credential(policy), json }, '?surprise=1');
        const named = listViolations(httpResponse).some(
          (fault) => fault.join() === 'query,/surprise,unknown_parameter',
        );
        return [...code(httpResponse), named];
      },
    );
    answers.expect(400, 'invalid_request', true);
  });

  it('with a body reports an unknown field', async () => {
    const answers = await outcomes(hasBody, async (route, policy) => {
      const httpResponse = await call(route, { token: credential(policy), json: { surprise: 1 } });
      const violation = HAS_ANY_MEMBER.test(route.path) ? 'invalid_type' : 'unknown_field';
      const named = listViolations(httpResponse).some((fault) => fault.join() === `body,/surprise,${violation}`);
      return [...code(httpResponse), named];
    });
    answers.expect(400, 'invalid_request', true);
  });

  const sent = (raw: (route: Route) => string | Uint8Array, type = 'application/json') =>
    outcomes(hasBody, async (route, policy) =>
      code(await call(route, { token: credential(policy), raw: raw(route), headers: { 'Content-Type': type } })),
    );

  it('with a body rejects malformed JSON', async () => {
    (await sent(() => '{"a":')).expect(400, 'invalid_request');
  });

  it('includes all operations with a JSON body of both documents', () => {
    const names = routes.map(({ route }) => `${route.method} ${route.path}`);
    expect(listJsonOperations()).toEqual(expect.arrayContaining(['POST /external/v1/webhooks', 'POST /v1/sessions']));
    expect(names).toEqual(expect.arrayContaining(listJsonOperations()));
  });

  /** Collects the violations of a JSON body. */
  const violations = (raw: string | Uint8Array) =>
    outcomes(hasBody, async (route, policy) => {
      const headers = { 'Content-Type': 'application/json' };
      const { status, body } = await call(route, { token: credential(policy), raw, headers });
      return [status, body.errors];
    });

  it.each([
    ['ISO-8859-1', Buffer.from('{"surprise":"caf\xe9"}', 'latin1')],
    ['overlong UTF-8', Buffer.from('{"surprise":"\xc0\xaf"}', 'latin1')],
    ['UTF-8 with a surrogate', Buffer.from('{"surprise":"\xed\xa0\x80"}', 'latin1')],
    ['UTF-8 that ends in a character', Buffer.from('{"surprise":1}\xe2\x82', 'latin1')],
    ['UTF-16 with a byte order mark', Buffer.from('\ufeff{"surprise":"é"}', 'utf16le')],
  ])('rejects a body in %s', async (_, raw) => {
    const violation = { in: 'body', path: '', code: 'invalid_json', message: 'The body is not UTF-8.' };
    (await violations(raw)).expect(400, [violation]);
  });

  it('rejects a body in UTF-16 without a byte order mark', async () => {
    (await sent(() => Buffer.from('{"surprise":"e"}', 'utf16le'))).expect(400, 'invalid_request');
  });

  it('rejects a member that is given twice', async () => {
    const answers = await violations('{"surprise":{"a":1,"b":2,"a":3}}');
    answers.expect(400, [expect.objectContaining({ path: '', code: 'repeated_member' })]);
  });

  it.each([
    ['half of a surrogate pair', '\\ud800', '\ufffd'],
    ['the other half', 'a\\udc00b', 'a\ufffdb'],
    ['U+0000', '\\u0000', '\0'],
  ])('rejects %s in texts and names, at their paths', async (_, escaped, name) => {
    const invalid = (path: string) =>
      expect.arrayContaining([{ in: 'body', path, code: 'invalid_format', message: expect.stringContaining(path) }]);
    (await violations(`{"surprise":["good","${escaped}"]}`)).expect(400, invalid('/surprise/1'));
    (await violations(`{"surprise":{"${escaped}":1}}`)).expect(400, invalid(`/surprise/${name}`));
    (await violations(`{"${escaped}":1}`)).expect(400, invalid(`/${name}`));
  });

  it.each(['%E9', '%C0%AF', '%ED%A0%80', 'a%F0%9F'])('rejects a query that is not UTF-8: %s', async (text) => {
    const answers = await outcomes(
      () => true,
      async (route, policy) => {
        const httpResponse = await call(route, { token: credential(policy) }, `?surprise=${text}`);
        return [...code(httpResponse), listViolations(httpResponse)];
      },
    );
    answers.expect(400, 'invalid_request', expect.arrayContaining([['query', '/surprise', 'invalid_format']]));
  });

  it('with a body rejects one byte above its limit', async () => {
    const limit = (route: Route) => getBodyLimits(route.handler).bytes;
    (await sent((route) => Buffer.alloc(limit(route) + 1, ' '))).expect(413, 'payload_too_large');
  });

  it('with a body rejects other media types than JSON', async () => {
    (await sent(() => 'a=1', 'application/x-www-form-urlencoded')).expect(415, 'unsupported_media_type');
  });

  it('rejects a caller that doesn’t accept JSON', async () => {
    const answers = await outcomes(
      () => true,
      async (route, policy) => code(await call(route, { token: credential(policy), headers: { Accept: 'text/html' } })),
    );
    answers.expect(406, 'not_acceptable');
  });
});
