import { deviceReach, policyOf, type DeviceKind } from '../auth';
import type { Route } from '../common/http';
import { bucketOf } from '../rate-limit';

const KINDS: DeviceKind[] = ['account', 'machine'];

/** `docs/route-policy.md`: every route with what it asks of its caller. */
export function routePolicyDocument(routes: readonly Route[]): string {
  const rows = [...routes]
    .sort((a, b) => (a.path === b.path ? compare(a.method, b.method) : compare(a.path, b.path)))
    .map((route) => `| ${route.method} | \`${route.path}\` | ${caller(route)} | ${bucket(route)} |`);
  return [
    '# Route policy',
    '',
    'Generated from the running application by `npm run generate`; not edited by hand. `npm run check` fails when it is',
    'out of date, and the service does not start with a route that declares no policy.',
    '',
    '| Method | Path | Who may call | Rate bucket |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function caller(route: Route): string {
  const policy = policyOf(route.handler);
  switch (policy?.kind) {
    case 'public':
      return 'anybody';
    case 'client':
      return 'app, by its client id and secret';
    case 'token':
      return policy.scopes.length > 0 ? `token with \`${policy.scopes.join('` and `')}\`` : 'any token';
    case 'device': {
      const kinds = KINDS.filter((kind) => deviceReach(kind, policy.permission) !== 'no');
      return `${kinds.join(' or ')} device (\`${policy.permission}\`)`;
    }
    case 'session':
      return 'browser session';
    case undefined:
      return '**none declared**';
  }
}

function bucket(route: Route): string {
  const policy = policyOf(route.handler);
  if (policy?.kind === 'token') return bucketOf('token', route.handler);
  const isDevice = policy?.kind === 'device' || policy?.kind === 'session';
  return isDevice ? bucketOf('device', route.handler) : 'none';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
