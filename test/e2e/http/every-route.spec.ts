import { DEVICE_PERMISSIONS, policyOf, SCOPE_NAMES, type DeviceKind, type RoutePolicy } from '../../../src/auth';
import { Clock } from '../../../src/common/clock';
import { RouteTable, type Route } from '../../../src/common/http';
import { databaseImage } from '../../support/database';
import { AccountDevice } from '../../support/device/foreign-device';
import { faultsOf } from '../../support/faults';
import type { Answer, RequestOptions } from '../../support/http-client';
import { Service } from '../../support/service';

/** Forms and pages have rules of their own. */
const WITH_THESE_RULES = /^\/(external\/v1(?!\/oauth)|v1)\//;
const BODY_METHODS = ['POST', 'PATCH', 'PUT'];

describe('every route', () => {
  let service: Service;
  let image: Record<string, string>;
  let routes: { route: Route; policy: RoutePolicy }[];
  let devices: Record<DeviceKind, string>;
  let allScopes: string;
  let reservedScope: string;
  let serial = 0;

  /** From a new address each time, since what fails is counted by address. */
  const call = ({ method, path }: Route, options: RequestOptions = {}, query = ''): Promise<Answer> => {
    const headers = { ...options.headers, 'X-Forwarded-For': `203.0.${serial >> 8}.${serial++ & 255}` };
    return service.http.request(method, `${path.replace(/\{\w+\}/g, 'unknown')}${query}`, {
      ...options,
      headers,
    });
  };
  const credential = (policy: RoutePolicy): string | undefined => {
    if (policy.kind !== 'device') return policy.kind === 'token' ? allScopes : undefined;
    const { account } = DEVICE_PERMISSIONS[policy.permission];
    return account === 'no' ? devices.machine : devices.account;
  };
  /** What every route of a kind answers; each line names the route, so that a failure does too. */
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
  const code = ({ status, body }: Answer) => [status, body.code];

  beforeAll(async () => {
    const rates = { RATE_LIMIT_METADATA: '100000', RATE_LIMIT_RELAY: '100000' };
    service = await Service.start({ TRUST_PROXY: '1', ...rates });
    const ada = await AccountDevice.signUp(service.http);
    devices = { account: ada.token, machine: (await ada.adopt('machine')).token };
    allScopes = (await ada.createToken([...SCOPE_NAMES])).token;
    reservedScope = (await ada.createToken(['artifacts:write'])).token;
    const table = service.app.get(RouteTable, { strict: false });
    routes = table
      .all()
      .filter(({ path }) => WITH_THESE_RULES.test(path))
      .map((route) => ({ route, policy: policyOf(route.handler)! }));
    // Time stands still, so that no token's last use is noted again.
    for (const token of [allScopes, reservedScope]) await service.http.get('/external/v1/me', token);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const now = Date.now();
    service.app.get(Clock).now = () => now;
    image = await databaseImage(service);
  });
  afterEach(async () => {
    expect(await databaseImage(service)).toEqual(image);
  });
  afterAll(() => service?.stop());

  it('declares a policy, and the table knows the routes that are documented', () => {
    expect(routes.every(({ policy }) => policy !== undefined)).toBe(true);
    const names = routes.map(({ route }) => `${route.method} ${route.path}`);
    const known = ['GET /external/v1/me', 'POST /external/v1/machines/{id}/invoke', 'POST /v1/accounts'];
    expect(names).toEqual(expect.arrayContaining(known));
  });

  it('asks for a token', async () => {
    (await outcomes(closed, async (route) => code(await call(route)))).expect(401, 'missing_token');
  });

  it('refuses a malformed token', async () => {
    const options = { token: 'svc_pat_nonsense' };
    const answers = await outcomes(closed, async (route) => {
      const answer = await call(route, options);
      return [...code(answer), answer.body.reason, answer.headers.get('www-authenticate') !== null];
    });
    answers.expect(401, 'invalid_token', 'malformed', true);
  });

  it('refuses a token of the other kind', async () => {
    const answers = await outcomes(closed, async (route, policy) => {
      const answer = await call(route, { token: policy.kind === 'token' ? devices.account : allScopes });
      return [...code(answer), answer.body.reason];
    });
    answers.expect(401, 'invalid_token', 'unknown');
  });

  it('of the External API names the scopes that a token lacks', async () => {
    const scoped = (policy: RoutePolicy) => policy.kind === 'token' && policy.scopes.length > 0;
    const answers = await outcomes(scoped, async (route, policy) => {
      const answer = await call(route, { token: reservedScope });
      const scopes = policy.kind === 'token' ? [...policy.scopes] : [];
      const named = answer.headers.get('www-authenticate')?.includes(`scope="${scopes.join(' ')}"`);
      return [...code(answer), JSON.stringify(answer.body.required) === JSON.stringify(scopes), named];
    });
    answers.expect(403, 'insufficient_scope', true, true);
  });

  it.each<DeviceKind>(['account', 'machine'])(
    'that the allow-list keeps from %s devices is forbidden',
    async (kind) => {
      const kept = (policy: RoutePolicy) =>
        policy.kind === 'device' && DEVICE_PERMISSIONS[policy.permission][kind] === 'no';
      (await outcomes(kept, async (route) => code(await call(route, { token: devices[kind] })))).expect(
        403,
        'forbidden',
      );
    },
  );

  it('names an unknown query parameter', async () => {
    const answers = await outcomes(
      () => true,
      async (route, policy) => {
        const json = hasBody(policy, route) ? {} : undefined;
        const answer = await call(route, { token: credential(policy), json }, '?surprise=1');
        const named = faultsOf(answer).some((fault) => fault.join() === 'query,/surprise,unknown_parameter');
        return [...code(answer), named];
      },
    );
    answers.expect(400, 'invalid_request', true);
  });

  it('with a body names an unknown field', async () => {
    const answers = await outcomes(hasBody, async (route, policy) => {
      const answer = await call(route, { token: credential(policy), json: { surprise: 1 } });
      const named = faultsOf(answer).some((fault) => fault.join() === 'body,/surprise,unknown_field');
      return [...code(answer), named];
    });
    answers.expect(400, 'invalid_request', true);
  });

  const sent = (raw: (route: Route) => string | Uint8Array, type = 'application/json') =>
    outcomes(hasBody, async (route, policy) =>
      code(await call(route, { token: credential(policy), raw: raw(route), headers: { 'Content-Type': type } })),
    );

  it('with a body refuses broken JSON', async () => {
    (await sent(() => '{"a":')).expect(400, 'invalid_request');
  });

  it('with a body refuses one byte more than it takes', async () => {
    const limit = (route: Route) =>
      (Reflect.getMetadata('http:body-limit', route.handler) as number | undefined) ?? 1_048_576;
    (await sent((route) => Buffer.alloc(limit(route) + 1, ' '))).expect(413, 'payload_too_large');
  });

  it('with a body refuses what is no JSON', async () => {
    (await sent(() => 'a=1', 'application/x-www-form-urlencoded')).expect(415, 'unsupported_media_type');
  });

  it('refuses a caller who wants no JSON', async () => {
    const answers = await outcomes(
      () => true,
      async (route, policy) => code(await call(route, { token: credential(policy), headers: { Accept: 'text/html' } })),
    );
    answers.expect(406, 'not_acceptable');
  });
});
