import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig, SETTING_NAMES } from '../../../src/core/config';
import { itWith } from '../../support/dependencies';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';
import { findFreePort } from '../../support/find-free-port';
import { TEST_GRANT_KEYS } from '../../support/grant-keys';
import { readDockerfile, REPOSITORY_ROOT } from './dockerfile';
import { readOperations } from './documented-operations';

const text = readFileSync(join(REPOSITORY_ROOT, 'docker-compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, any> };
const haproxy = readFileSync(join(REPOSITORY_ROOT, 'deploy', 'haproxy.cfg'), 'utf8');
const instances = ['api-1', 'api-2'];
/** Settings that the file or the image decides. */
const FIXED = ['HOST', 'PORT', 'DATA_DIR', 'REDIS_URL', 'TRUST_PROXY', 'METRICS_PORT'];

/** Resolves a value like `docker compose` without variables: `${NAME:-default}`. */
function filledIn(environment: Record<string, string>): Record<string, string> {
  const entries = Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:?-(.*?)\}/g, '$1')]);
  return Object.fromEntries(entries) as Record<string, string>;
}

describe('docker-compose.yml', () => {
  it('has PostgreSQL, Redis, two instances and a load balancer', () => {
    const always = Object.keys(services).filter((name) => !services[name].profiles);
    expect(always.sort()).toEqual(['api-1', 'api-2', 'balancer', 'bus', 'database', 'setup']);
  });

  it('names an exact version of each image', () => {
    const images = Object.values(services).map(({ image }) => image as string);
    const bases = [...readFileSync(join(REPOSITORY_ROOT, 'deploy', 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm)];
    for (const image of [...images, ...bases.map(([, base]) => base!)])
      if (image !== services.setup.image) expect(image).toMatch(/^\w+:\d+(\.\d+){1,2}-?\w*$/);
  });

  it('publishes no port but that of the load balancer, and those of development when they are asked for', () => {
    const published = Object.keys(services).filter((name) => services[name].ports);
    expect(published.sort()).toEqual(['balancer', 'postgres', 'redis']);
    for (const name of ['postgres', 'redis']) expect(services[name].profiles).toEqual(['development']);
    for (const name of published)
      for (const port of services[name].ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it("has a PostgreSQL with this installation's password", () => {
    const { database, setup, postgres } = services;
    const file = '/secrets/postgres-password';
    expect(database.environment).toEqual({ POSTGRES_DB: 'external_api', POSTGRES_PASSWORD_FILE: file });
    expect(database.volumes).toContain('secrets:/secrets:ro');
    expect(database.depends_on).toEqual({ setup: { condition: 'service_completed_successfully' } });
    expect([setup.entrypoint, setup.depends_on]).toEqual([['node', 'dist/programs/setup.js', file], []]);
    // The tests of development need neither data nor a password of production.
    expect(postgres.volumes).toBeUndefined();
  });

  it('regards PostgreSQL as healthy only once its first initialization, without TCP, is over', () => {
    const [, program, ...args] = services.database.healthcheck.test as string[];
    expect(program).toBe('pg_isready');
    expect(args.join(' ')).toContain('-h 127.0.0.1');
  });

  it('requires no variable, so that postgres and redis start separately', () => {
    const variables = text.match(/\$\{[^}]+\}/g)!;
    expect(variables.filter((variable) => !/^\$\{\w+:?-/.test(variable))).toEqual([]);
    for (const name of ['postgres', 'redis']) expect(services[name].depends_on).toBeUndefined();
    expect([services.postgres.ports, services.redis.ports]).toEqual([['127.0.0.1:5432:5432'], ['127.0.0.1:6379:6379']]);
  });

  it('has only settings of the service in the environment of its instances', () => {
    const known = SETTING_NAMES.flatMap((name) => [name, `${name}_FILE`]);
    for (const name of [...instances, 'setup', 'admin'])
      expect(Object.keys(services[name].environment).filter((variable) => !known.includes(variable))).toEqual([]);
  });

  it('builds the shared image once', () => {
    const built = Object.keys(services).filter((name) => services[name].build);
    expect(built).toEqual(['setup']);
    for (const name of [...instances, 'admin']) expect(services[name].image).toBe(services.setup.image);
  });

  it('contains no secret, because each installation generates its own', () => {
    for (const name of instances) {
      expect(filledIn(services[name].environment)).toMatchObject({
        APP_SECRET: '',
        APP_SECRET_FILE: '/secrets/app-secret',
        GRANT_KEYS: '',
        GRANT_KEYS_FILE: '/secrets/grant-keys',
        REDIS_PASSWORD: '',
        REDIS_PASSWORD_FILE: '/secrets/redis-password',
        DATABASE_URL: '',
        DATABASE_URL_FILE: '/secrets/database-url',
      });
      expect(services[name].volumes).toContain('secrets:/secrets');
    }
  });

  it('takes secrets and all settings of the installation from the environment', () => {
    const secrets = ['APP_SECRET', 'GRANT_KEYS', 'REDIS_PASSWORD', 'DATABASE_URL'];
    for (const name of [...instances, 'setup', 'admin']) {
      const environment = services[name].environment as Record<string, string>;
      for (const setting of SETTING_NAMES.filter((each) => !FIXED.includes(each)))
        expect(environment[setting]).toMatch(new RegExp(`^\\$\\{${setting}:-.*\\}$`));
      // An empty one is no file.
      for (const secret of secrets)
        expect(environment[`${secret}_FILE`]).toMatch(new RegExp(`^\\$\\{${secret}_FILE-/secrets/[a-z-]+\\}$`));
    }
  });

  it('gives the instances a valid configuration, with sign-up closed', () => {
    for (const name of instances) {
      const image = readDockerfile().at(-1)!.env;
      const withoutFiles = {
        APP_SECRET_FILE: '',
        GRANT_KEYS_FILE: '',
        REDIS_PASSWORD_FILE: '',
        DATABASE_URL_FILE: '',
      };
      const secrets = {
        APP_SECRET: 'x'.repeat(32),
        GRANT_KEYS: TEST_GRANT_KEYS,
        DATABASE_URL: 'postgres://postgres:x@database:5432/external_api',
      };
      const config = loadConfig({ ...image, ...filledIn(services[name].environment), ...withoutFiles, ...secrets });
      expect(config).toMatchObject({ host: '0.0.0.0', port: 3000, signup: 'closed', trustProxy: 1 });
      expect(config.publicUrl).toBe('http://localhost:3000');
      expect([config.database.kind, config.redisUrl]).toEqual(['postgres', 'redis://bus:6379']);
    }
  });

  const itWithRedis = itWith('redis-server');
  itWithRedis("has a Redis with this installation's password that only the instances can reach", async () => {
    const { bus } = services;
    expect([bus.ports, bus.depends_on]).toEqual([
      undefined,
      { setup: { condition: 'service_completed_successfully' } },
    ]);
    const folder = createTempFolder();
    const port = await findFreePort();
    const file = join(folder, 'redis-password');
    writeFileSync(file, 'the password of this installation\n');
    // The entry point of the Redis image starts the server as an unprivileged user.
    writeFileSync(join(folder, 'docker-entrypoint.sh'), '#!/bin/sh\nexec "$@"\n', { mode: 0o700 });
    const env = { PATH: `${folder}:${process.env.PATH}`, REDIS_PASSWORD_FILE: file };
    const unescaped = (part: string) => part.replaceAll('$$', '$').replace('END\n', `END\nport ${port}\n`);
    const [program, ...args] = (bus.command as string[]).map(unescaped);
    const server = spawn(program!, args, { env, cwd: folder, stdio: 'ignore' });
    try {
      const [, test] = (bus.healthcheck.test as string[]).map(unescaped);
      const health = (more: object = {}) =>
        spawnSync('sh', ['-c', test!.replace('redis-cli', `redis-cli -p ${port}`)], {
          env: { ...env, ...more },
        }).status;
      await waitFor(() => expect(health()).toBe(0));
      expect(health({ REDIS_PASSWORD: 'wrong' })).not.toBe(0);
      expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).not.toContain('the password');
      const { stdout } = spawnSync('redis-cli', ['-p', String(port), 'publish', 'relay:to:x', 'y'], {
        encoding: 'utf8',
      });
      expect(stdout).toContain('NOAUTH');
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('stops instances gracefully, restarts them, and waits for their dependencies', () => {
    for (const name of instances) {
      expect(services[name]).toMatchObject({
        init: true,
        restart: 'unless-stopped',
        stop_grace_period: '65s',
        depends_on: {
          setup: { condition: 'service_completed_successfully' },
          database: { condition: 'service_healthy' },
          bus: { condition: 'service_healthy' },
        },
      });
      expect(services.balancer.depends_on[name]).toEqual({ condition: 'service_healthy' });
      expect(services[name].ports).toBeUndefined();
      // The documentation asks for 4,096 at least.
      expect(services[name].ulimits.nofile).toBeGreaterThanOrEqual(4_096);
    }
  });

  it('gives no container more rights than it needs, and bounds memory and logs', () => {
    for (const [name, service] of Object.entries(services)) {
      expect([name, service.security_opt]).toEqual([name, ['no-new-privileges:true']]);
      expect(service.logging).toEqual({ driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } });
    }
    for (const name of [...instances, 'setup', 'admin', 'balancer'])
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], mem_limit: expect.any(String) });
  });

  it('passes every instance to the load balancer under the configured names', () => {
    const { BIND, ...addresses } = services.balancer.environment;
    expect(Object.values(addresses)).toEqual(instances.map((name) => `${name}:3000`));
    for (const name of ['BIND', ...Object.keys(addresses)]) expect(haproxy).toContain(`"\${${name}}"`);
    expect(services.balancer.ports).toEqual([`127.0.0.1:3000${BIND}`]);
  });
});

describe('deploy/haproxy.cfg', () => {
  it('has no session affinity', () => {
    const settings = haproxy.split('\n').filter((line) => !/^\s*#/.test(line));
    const sticky = /^\s*(cookie|stick|stick-table|balance\s+(source|uri|hdr|hash|url_param))\b/;
    expect(settings.filter((line) => sticky.test(line))).toEqual([]);
  });

  it('has timeouts above the longest call, and longer ones for sockets', () => {
    const seconds = (name: string) => {
      const [, value, unit] = new RegExp(`^ *timeout ${name} +(\\d+)(s|h)$`, 'm').exec(haproxy)!;
      return Number(value) * (unit === 'h' ? 3_600 : 1);
    };
    for (const name of ['client', 'server']) expect(seconds(name)).toBeGreaterThan(35);
    expect(seconds('tunnel')).toBeGreaterThanOrEqual(3_600);
  });

  it('knows each relayed call that may have run when its instance is lost, and no other', () => {
    const [, pattern] = /^ *acl relayed path_reg (\S+)$/m.exec(haproxy)!;
    const [, methods] = /^ *acl changing method (.+)$/m.exec(haproxy)!;
    const operations = readOperations().filter(({ method }) => method !== 'GET');
    expect(operations.filter(({ isRelayed }) => isRelayed).length).toBeGreaterThan(10);
    for (const { method, path, isRelayed } of operations) {
      const isKnown = methods!.split(' ').includes(method) && new RegExp(pattern!).test(path.replaceAll(/[{}]/g, ''));
      expect([method, path, isKnown]).toEqual([method, path, isRelayed]);
    }
    for (const code of ['device_disconnected', 'timeout'])
      expect(haproxy).toContain(`'"code":"${code}","outcome":"unknown"' if changing relayed\n`);
  });
});
