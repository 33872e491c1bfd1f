import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../../support/dependencies';
import { createTempFolder } from '../../support/temp-folder';
import { createTestDatabase } from '../../support/postgres';
import { RedisProcess } from '../../support/redis-process';
import { ServiceProcess } from '../../support/service-process';
import { findProgram } from '../../support/program-files';

const NAMES = ['postgres-password', 'app-secret', 'grant-keys', 'redis-password', 'database-url'] as const;

function runSetup(folder: string, settings: Record<string, string>) {
  const args = [findProgram('setup'), join(folder, 'postgres-password')];
  return spawnSync(process.execPath, args, { env: settings, encoding: 'utf8' });
}

function createSettings(folder: string): Record<string, string> {
  return {
    APP_SECRET_FILE: join(folder, 'app-secret'),
    GRANT_KEYS_FILE: join(folder, 'grant-keys'),
    REDIS_PASSWORD_FILE: join(folder, 'redis-password'),
    DATABASE_URL_FILE: join(folder, 'database-url'),
  };
}

describeWith('PostgreSQL', 'redis-server')('the setup before the first start', () => {
  it('creates the secrets once, with which the service starts', async () => {
    const { env, dropDatabase } = await createTestDatabase();
    const folder = createTempFolder();
    const redis = await RedisProcess.start();
    const { DATABASE_URL_FILE: _, ...secretFiles } = createSettings(folder);
    const readSecrets = () => NAMES.map((name) => readFileSync(join(folder, name), 'utf8').trim());
    try {
      expect(runSetup(folder, createSettings(folder))).toMatchObject({ status: 0, stderr: '' });
      const secrets = readSecrets();
      const [postgresPassword, appSecret, grantKeys, redisPassword, databaseUrl] = secrets;
      for (const name of NAMES) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      expect(appSecret!.length).toBeGreaterThanOrEqual(32);
      expect(JSON.parse(grantKeys!)).toHaveLength(1);
      for (const password of [postgresPassword, redisPassword]) expect(password).toMatch(/^[\w-]{43}$/);
      expect(new Set([appSecret, postgresPassword, redisPassword]).size).toBe(3);
      expect(databaseUrl).toBe(`postgres://postgres:${postgresPassword}@database:5432/external_api`);
      await redis.requirePassword(redisPassword!);
      // The database of the tests requires no password.
      const reachable = new URL(env.DATABASE_URL!);
      reachable.password = postgresPassword!;
      const service = await ServiceProcess.start({
        DATABASE_URL: reachable.href,
        REDIS_URL: redis.url,
        ...secretFiles,
      });
      const ready = await service.http.get('/health/ready');
      expect(ready.body).toMatchObject({ status: 'ok', details: { redis: { status: 'up' } } });
      expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
      expect(runSetup(folder, createSettings(folder))).toMatchObject({ status: 0, stderr: '' });
      expect(readSecrets()).toEqual(secrets);
    } finally {
      await redis.removeProcess();
      await dropDatabase();
    }
  });

  it('creates no secret that the installation brings itself', () => {
    const folder = createTempFolder();
    const settings = { ...createSettings(folder), APP_SECRET_FILE: '', REDIS_PASSWORD_FILE: '', DATABASE_URL_FILE: '' };
    const { status, stderr } = runSetup(folder, settings);
    expect([status, stderr]).toEqual([0, '']);
    // Its own database starts all the same, unused.
    expect(readdirSync(folder).sort()).toEqual(['grant-keys', 'postgres-password']);
  });

  it('reports errors', () => {
    const folder = createTempFolder();
    const { status, stderr } = runSetup(folder, { ...createSettings(folder), APP_SECRET_FILE: '/dev/null/app-secret' });
    expect(status).toBe(1);
    expect(stderr).toContain('ENOTDIR');
  });
});
