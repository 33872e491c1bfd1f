import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leaseRedis } from '../../support/backend';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { findFreePort } from '../../support/find-free-port';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { readOperations, type DocumentedOperation } from './documented-operations';

const FOLDER = join(__dirname, '../../../deploy/monitoring');
const METRIC =
  /\b(?:account|database|event|external_api_build|http|nodejs|process|rate_limit|redis|relay|retention|webhook)_\w+/g;
/** Metrics that the page describes in other words, or that need a setting. */
const NOT_IN_TABLE = /^(?:nodejs|process|trace)_|^webhook_(?:try_seconds|in_flight_tries|leased_lanes)$/;

/** Returns all expressions of a file. */
const expressions: Record<string, () => string[]> = {
  'grafana-dashboard.json': () => {
    const { panels } = JSON.parse(readFileSync(join(FOLDER, 'grafana-dashboard.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  },
  'alerts.yml': () =>
    readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')
      .split(/\n\s+- alert:/)
      .slice(1)
      .map((rule) => /expr:([\s\S]*?)\n\s+(?:for|labels):/.exec(rule)![1]!),
};

describeWithPostgres('the metrics of the dashboard and the alerts', () => {
  let testDatabase: TestDatabase;
  let redis: Awaited<ReturnType<typeof leaseRedis>>;
  let service: ServiceProcess;
  let metrics: () => Promise<string>;
  beforeAll(async () => {
    [testDatabase, redis] = await Promise.all([createMigratedDatabase(), leaseRedis()]);
    const port = await findFreePort();
    const env = { ...testDatabase.env, REDIS_URL: redis.url, METRICS_PORT: String(port) };
    service = await ServiceProcess.start(env);
    metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all([testDatabase?.dropDatabase(), redis?.release()]);
  });

  it.each(Object.keys(expressions))('is really measured: %s', async (file) => {
    const text = await metrics();
    const names = expressions[file]!().flatMap((expression) => expression.match(METRIC) ?? []);
    expect(names.length).toBeGreaterThan(8);
    const missing = names.filter((name) => !text.includes(`# TYPE ${name.replace(/_(?:bucket|count)$/, '')} `));
    expect(missing).toEqual([]);
  });

  it('and all others are those of the documentation, with their labels', async () => {
    const page = readFileSync(join(__dirname, '../../../docs/monitoring.md'), 'utf8');
    const table = /\n## Metrics\n[\s\S]*?(\n\|[\s\S]*?)\n\n/.exec(page)![1]!;
    const cells = [...table.matchAll(/^\| (`[a-z].*?) +\| /gm)].map(([, cell]) => cell!);
    const documented = new Map(
      cells.flatMap((cell) =>
        [...cell.matchAll(/`([a-z_]+)(?:\{(.+?)\})?`/g)].map(
          ([, name, labels]) => [name!, labels?.split(', ').sort() ?? []] as const,
        ),
      ),
    );
    const text = await metrics();
    const exported = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!);
    const withoutOthers = (names: Iterable<string>) => [...names].filter((name) => !NOT_IN_TABLE.test(name)).sort();
    expect(withoutOthers(exported)).toEqual(withoutOthers(documented.keys()));
    for (const [name, labels] of documented) {
      for (const [, written] of text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.+)\\} `, 'gm'))) {
        const names = [...written!.matchAll(/(\w+)="/g)].map(([, label]) => label!);
        expect([name, names.filter((label) => label !== 'le').sort()]).toEqual([name, labels]);
      }
    }
  });

  it('has a section of the runbook for each alert', () => {
    const rules = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8');
    const runbook = readFileSync(join(__dirname, '../../../docs/runbooks/alerts.md'), 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    expect(alerts).toEqual([...runbook.matchAll(/^## (\w+)$/gm)].map(([, name]) => name));
    const links = [...rules.matchAll(/runbook_url: 'docs\/runbooks\/alerts\.md#(\w+)'/g)].map(([, anchor]) => anchor);
    expect(links).toEqual(alerts.map((name) => name.toLowerCase()));
  });

  /** Returns which routes an alert counts. */
  function readRouteFilter(alert: string): (route: string) => boolean {
    const rules = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8').split(/\n\s+- alert: /);
    const rule = rules.find((text) => text.startsWith(`${alert}\n`))!;
    const patterns = [...rule.matchAll(/route!~"([^"]+)"/g)].map(([, pattern]) => new RegExp(`^(?:${pattern})$`));
    return (route) => !patterns.some((pattern) => pattern.test(route));
  }

  const toRoutes = (operations: readonly DocumentedOperation[]) =>
    operations.map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'));

  it('page nobody because the devices of accounts are away', () => {
    const isCounted = readRouteFilter('ExternalApiUnavailable');
    const routes = toRoutes(readOperations().filter(({ isRelayed }) => isRelayed));
    expect(routes).toContain('/external/v1/machines/:id/sessions');
    expect(routes.filter(isCounted)).toEqual([]);
    const others = ['/external/v1/me', '/external/v1/sessions', '/external/v1/sessions/:id', '/v1/sessions'];
    expect(others.filter(isCounted)).toEqual(others);
  });

  it('call no read slow because it waits for a device, a change or events', () => {
    const isCounted = readRouteFilter('ExternalApiSlowReads');
    const reads = readOperations().filter(({ method }) => method === 'GET');
    const waiting = toRoutes(reads.filter(({ isWaiting }) => isWaiting));
    expect(waiting).toEqual(
      expect.arrayContaining([
        '/external/v1/events',
        '/external/v1/sessions/:id/options',
        '/external/v1/sessions/:id/turns/:turnId',
      ]),
    );
    expect(waiting.filter(isCounted)).toEqual([]);
    const others = toRoutes(reads.filter(({ isWaiting }) => !isWaiting));
    expect(others.filter(isCounted)).toEqual(others);
  });

  it('count requests by route template, status and bucket', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['sessions:read']);
    expectStatus(await service.http.get('/external/v1/sessions/ses_unknown', token), 404);
    expectStatus(await service.http.get('/nowhere/in/particular'), 404);
    await waitFor(async () => {
      const text = await metrics();
      for (const line of [
        'http_requests_total{method="GET",route="/external/v1/sessions/:id",status="404"} 1',
        'http_requests_total{method="any",route="none",status="404"} 1',
        'http_request_seconds_count{method="POST",route="/v1/accounts"} 1',
        'rate_limit_draws_total{bucket="metadata",result="allowed"} 1',
        'database_pool_connections{state="waiting"} 0',
      ]) {
        expect(text).toContain(line);
      }
      expect(text).not.toContain('ses_unknown');
    });
  });
});
