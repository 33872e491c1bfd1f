import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leaseRedis } from '../../support/backend';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { freePort } from '../../support/free-port';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';

const FOLDER = join(__dirname, '../../../deploy/monitoring');
const METRIC = /\b(?:http|rate_limit|relay|webhook|database|nodejs|process)_\w+/g;

/** The expressions of a file, whatever surrounds them. */
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
      .map((rule) => /expr:([\s\S]*?)\n\s+for:/.exec(rule)![1]!),
};

describePostgres('what the dashboard and the alerts look at', () => {
  let database: Database;
  let redis: Awaited<ReturnType<typeof leaseRedis>>;
  let service: ServiceProcess;
  let metrics: () => Promise<string>;
  beforeAll(async () => {
    [database, redis] = await Promise.all([createDatabase(), leaseRedis()]);
    const port = await freePort();
    const env = { ...database.env, REDIS_URL: redis.url, METRICS_PORT: String(port) };
    service = await ServiceProcess.start(env);
    metrics = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  });
  afterAll(async () => {
    await service?.stop();
    await Promise.all([database?.drop(), redis?.release()]);
  });

  it.each(Object.keys(expressions))('is really measured: %s', async (file) => {
    const text = await metrics();
    const names = expressions[file]!().flatMap((expression) => expression.match(METRIC) ?? []);
    expect(names.length).toBeGreaterThan(8);
    const missing = names.filter((name) => !text.includes(`# TYPE ${name.replace(/_bucket$/, '')} `));
    expect(missing).toEqual([]);
  });

  it('counts requests by the route’s template, its status, and the bucket that it drew on', async () => {
    const ada = await AccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['sessions:read']);
    ok(await service.http.get('/external/v1/sessions/ses_unknown', token), 404);
    ok(await service.http.get('/nowhere/in/particular'), 404);
    await eventually(async () => {
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
