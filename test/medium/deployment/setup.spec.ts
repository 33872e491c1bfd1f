import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder, removeTempFolders } from '../../support/temp-folder';
import { createTestDatabase, describeWithServices } from '../../support/postgres';
import { RedisProcess } from '../../support/redis-process';
import { ServiceProcess } from '../../support/service-process';
import { REPOSITORY_ROOT } from './dockerfile';

describeWithServices('the setup before the first start', () => {
  afterAll(removeTempFolders);

  it('creates the secrets and the database once, with which the service starts', async () => {
    const { env, dropDatabase: drop } = await createTestDatabase();
    await drop();
    const folder = createTempFolder();
    const redis = await RedisProcess.start();
    const files = {
      APP_SECRET_FILE: join(folder, 'app-secret'),
      GRANT_KEYS_FILE: join(folder, 'grant-keys'),
      REDIS_PASSWORD_FILE: join(folder, 'redis-password'),
    };
    const secrets = () => Object.values(files).map((file) => readFileSync(file, 'utf8'));
    const setup = () =>
      spawnSync(process.execPath, [join(REPOSITORY_ROOT, 'deploy', 'setup.mjs')], {
        env: { DATABASE_URL: env.DATABASE_URL, ...files },
        encoding: 'utf8',
      });
    try {
      expect(setup()).toMatchObject({ status: 0, stderr: '' });
      const made = secrets();
      expect(made[0]!.trim().length).toBeGreaterThanOrEqual(32);
      expect(JSON.parse(made[1]!)).toHaveLength(1);
      for (const file of Object.values(files)) expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(made[2]!.trim()).toMatch(/^[\w-]{43}$/);
      await redis.requirePassword(made[2]!.trim());
      const service = await ServiceProcess.start({
        DATABASE_URL: env.DATABASE_URL,
        REDIS_URL: redis.url,
        ...files,
      });
      const ready = await service.http.get('/health/ready');
      expect(ready.body).toMatchObject({ status: 'ok', details: { redis: { status: 'up' } } });
      expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
      expect(setup()).toMatchObject({ status: 0, stderr: '' });
      expect(secrets()).toEqual(made);
    } finally {
      await redis.removeProcess();
      await drop();
    }
  });

  it('creates no secret that the installation brings itself', async () => {
    const { env, dropDatabase } = await createTestDatabase();
    const folder = createTempFolder();
    const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY_ROOT, 'deploy', 'setup.mjs')], {
      env: {
        DATABASE_URL: env.DATABASE_URL,
        APP_SECRET_FILE: '',
        GRANT_KEYS_FILE: join(folder, 'grant-keys'),
        REDIS_PASSWORD_FILE: '',
      },
      encoding: 'utf8',
    });
    await dropDatabase();
    expect([status, stderr]).toEqual([0, '']);
    expect(readdirSync(folder)).toEqual(['grant-keys']);
  });

  it('reports errors', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY_ROOT, 'deploy', 'setup.mjs')], {
      env: {
        DATABASE_URL: 'postgres://postgres@127.0.0.1:1/x',
        APP_SECRET_FILE: join(createTempFolder(), 'app-secret'),
        GRANT_KEYS_FILE: join(createTempFolder(), 'grant-keys'),
        REDIS_PASSWORD_FILE: join(createTempFolder(), 'redis-password'),
      },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('ECONNREFUSED');
  });
});
