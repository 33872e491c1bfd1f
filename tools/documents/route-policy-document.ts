import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getPermittedDeviceKinds, getRoutePolicy, type RoutePolicy } from '../../src/access/auth';
import type { Route } from '../../src/common/http';
import { getRouteRateLimit } from '../../src/access/rate-limiting';

/** The repository, from the build of this file in `dist/tools/documents`. */
const ROOT = join(__dirname, '..', '..', '..');

/** Builds `docs/route-policy.md`: the access policy, rate limit bucket and handler of every route. */
export function buildRoutePolicyDocument(routes: readonly Route[]): string {
  const controllerFiles = findControllerFiles();
  const rows = [...routes]
    .sort((a, b) => (a.path === b.path ? compareStrings(a.method, b.method) : compareStrings(a.path, b.path)))
    .map(
      (route) =>
        `| ${route.method} | \`${route.path}\` | ${describeCaller(route)} | ${describeRateLimitBucket(route)} ` +
        `| \`${requireFile(controllerFiles, route)}\` |`,
    );
  return [
    '# Route policy',
    '',
    'Generated from the running application by `npm run generate`. Do not edit it by hand: `npm run check` fails if it',
    'is out of date. The service does not start if a route declares no policy.',
    '',
    '| Method | Path | Who may call | Rate bucket | Handler in `src/` |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Finds the file of every controller in `src/`, by the name of its class. */
function findControllerFiles(): Map<string, string> {
  const source = join(ROOT, 'src');
  const paths = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return new Map(
    paths
      .filter((path) => /\.controller\.tsx?$/.test(path))
      .flatMap((path) => {
        const classes = readFileSync(join(source, path), 'utf8').matchAll(/^export class (\w+)/gm);
        return [...classes].map(([, name]): [string, string] => [name!, path]);
      }),
  );
}

function requireFile(controllerFiles: Map<string, string>, { controller }: Route): string {
  const file = controllerFiles.get(controller.name);
  if (!file) throw new Error(`${controller.name} is in no *.controller.ts file.`);
  return file;
}

const LOGIN = ', or browser login with a CSRF token';

function describeCaller(route: Route): string {
  const policy = getRoutePolicy(route);
  switch (policy?.kind) {
    case 'public':
      return 'anyone';
    case 'client':
      return 'app with its client id and secret';
    case 'token':
      return describeToken(policy);
    case 'device': {
      const kinds = getPermittedDeviceKinds(policy.permission).join(' or ');
      return `${kinds} device${policy.acceptsLogin ? LOGIN : ''} (\`${policy.permission}\`)`;
    }
    case 'control':
      return `account device${LOGIN} (\`${policy.permission}\`)`;
    case 'browser':
      return 'browser login';
    case undefined:
      return '**none declared**';
  }
}

function describeRateLimitBucket(route: Route): string {
  const rateLimit = getRouteRateLimit(route);
  if (!rateLimit) return 'none';
  return rateLimit.by === 'address' ? `${rateLimit.bucket}, by address` : rateLimit.bucket;
}

function compareStrings(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function describeToken({ scopes, isPatOnly }: RoutePolicy & { kind: 'token' }): string {
  if (scopes.length === 0) return 'any token';
  return `${isPatOnly ? 'personal access token' : 'token'} with \`${scopes.join('` and `')}\``;
}
