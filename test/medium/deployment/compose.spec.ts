import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../../../src/config';
import { TEST_GRANT_KEYS } from '../../support/grant-keys';
import { readDockerfile, ROOT } from './dockerfile';

const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, any> };
const haproxy = readFileSync(join(ROOT, 'deploy', 'haproxy.cfg'), 'utf8');
const instances = ['api-1', 'api-2'];

/** A value as `docker compose` reads it where nothing is set: `${NAME:-default}`. */
function filledIn(environment: Record<string, string>): Record<string, string> {
  const entries = Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-(.*?)\}/g, '$1')]);
  return Object.fromEntries(entries) as Record<string, string>;
}

describe('docker-compose.yml', () => {
  it('has PostgreSQL, Redis, two instances and a load balancer', () => {
    const always = Object.keys(services).filter((name) => !services[name].profiles);
    expect(always.sort()).toEqual(['api-1', 'api-2', 'balancer', 'postgres', 'redis', 'setup']);
  });

  it('needs no variable, so that postgres and redis start by themselves', () => {
    const variables = text.match(/\$\{[^}]+\}/g)!;
    expect(variables.filter((variable) => !variable.includes(':-'))).toEqual([]);
    for (const name of ['postgres', 'redis']) expect(services[name].depends_on).toBeUndefined();
    expect([services.postgres.ports, services.redis.ports]).toEqual([['127.0.0.1:5432:5432'], ['127.0.0.1:6379:6379']]);
  });

  it('builds the image of all once', () => {
    const built = Object.keys(services).filter((name) => services[name].build);
    expect(built).toEqual(['setup']);
    for (const name of [...instances, 'admin']) expect(services[name].image).toBe(services.setup.image);
  });

  it('holds no secret: each installation makes its own', () => {
    for (const name of instances) {
      expect(filledIn(services[name].environment)).toMatchObject({
        APP_SECRET: '',
        APP_SECRET_FILE: '/secrets/app-secret',
        GRANT_KEYS: '',
        GRANT_KEYS_FILE: '/secrets/grant-keys',
      });
      expect(services[name].volumes).toContain('secrets:/secrets');
    }
    expect(services.setup.entrypoint).toEqual(['node', 'deploy/setup.mjs']);
  });

  it('gives the instances a valid configuration, with sign-up closed', () => {
    for (const name of instances) {
      const image = readDockerfile().at(-1)!.env;
      const secrets = { APP_SECRET: 'x'.repeat(32), GRANT_KEYS: TEST_GRANT_KEYS };
      const config = loadConfig({ ...image, ...filledIn(services[name].environment), ...secrets });
      expect(config).toMatchObject({ host: '0.0.0.0', port: 3000, signup: 'closed', trustProxy: 1 });
      expect(config.publicUrl).toBe('http://localhost:3000');
      expect([config.database.kind, config.redisUrl]).toEqual(['postgres', 'redis://redis:6379']);
    }
  });

  it('stops instances gently, starts them again, and starts them when what they need is there', () => {
    for (const name of instances) {
      expect(services[name]).toMatchObject({
        init: true,
        restart: 'unless-stopped',
        stop_grace_period: '65s',
        depends_on: {
          setup: { condition: 'service_completed_successfully' },
          postgres: { condition: 'service_healthy' },
          redis: { condition: 'service_healthy' },
        },
      });
      expect(services.balancer.depends_on[name]).toEqual({ condition: 'service_healthy' });
      expect(services[name].ports).toBeUndefined();
    }
  });

  it('gives the load balancer every instance, under the names of its configuration', () => {
    const { BIND, ...addresses } = services.balancer.environment;
    expect(Object.values(addresses)).toEqual(instances.map((name) => `${name}:3000`));
    for (const name of ['BIND', ...Object.keys(addresses)]) expect(haproxy).toContain(`"\${${name}}"`);
    expect(services.balancer.ports).toEqual([`127.0.0.1:3000${BIND}`]);
  });
});

describe('deploy/haproxy.cfg', () => {
  it('has no stickiness', () => {
    const settings = haproxy.split('\n').filter((line) => !/^\s*#/.test(line));
    const sticky = /^\s*(cookie|stick|stick-table|balance\s+(source|uri|hdr|hash|url_param))\b/;
    expect(settings.filter((line) => sticky.test(line))).toEqual([]);
  });

  it('waits longer than any call takes, and longer for sockets', () => {
    const seconds = (name: string) => {
      const [, value, unit] = new RegExp(`^ *timeout ${name} +(\\d+)(s|h)$`, 'm').exec(haproxy)!;
      return Number(value) * (unit === 'h' ? 3_600 : 1);
    };
    for (const name of ['client', 'server']) expect(seconds(name)).toBeGreaterThan(35);
    expect(seconds('tunnel')).toBeGreaterThanOrEqual(3_600);
  });
});
