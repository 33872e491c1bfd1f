import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, removeFolders } from '../../support/data-folder';
import { createDatabase, describePostgres } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { ROOT } from './dockerfile';

describePostgres('what is made before the first start', () => {
  afterAll(removeFolders);

  it('is a secret and a database, once, with which the service starts', async () => {
    const { env, drop } = await createDatabase();
    await drop();
    const APP_SECRET_FILE = join(newFolder(), 'app-secret');
    const setup = () =>
      spawnSync(process.execPath, [join(ROOT, 'deploy', 'setup.mjs')], {
        env: { DATABASE_URL: env.DATABASE_URL, APP_SECRET_FILE },
        encoding: 'utf8',
      });
    try {
      expect(setup()).toMatchObject({ status: 0, stderr: '' });
      const secret = readFileSync(APP_SECRET_FILE, 'utf8').trim();
      expect(secret.length).toBeGreaterThanOrEqual(32);
      expect(statSync(APP_SECRET_FILE).mode & 0o777).toBe(0o600);
      const service = await ServiceProcess.start(
        { DATABASE_URL: env.DATABASE_URL, APP_SECRET_FILE, PATH: process.env.PATH },
        { shell: `exec ${join(ROOT, 'deploy', 'docker-entrypoint.sh')} "$@"` },
      );
      expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
      expect(setup()).toMatchObject({ status: 0, stderr: '' });
      expect(readFileSync(APP_SECRET_FILE, 'utf8').trim()).toBe(secret);
    } finally {
      await drop();
    }
  });

  it('says what is wrong', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'deploy', 'setup.mjs')], {
      env: {
        DATABASE_URL: 'postgres://postgres@127.0.0.1:1/x',
        APP_SECRET_FILE: join(newFolder(), 'app-secret'),
      },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('ECONNREFUSED');
  });
});
