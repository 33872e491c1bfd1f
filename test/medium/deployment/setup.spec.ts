import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, removeFolders } from '../../support/data-folder';
import { createDatabase, describePostgres } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { ROOT } from './dockerfile';

describePostgres('what is made before the first start', () => {
  afterAll(removeFolders);

  it('are secrets and a database, once, with which the service starts', async () => {
    const { env, drop } = await createDatabase();
    await drop();
    const folder = newFolder();
    const files = {
      APP_SECRET_FILE: join(folder, 'app-secret'),
      GRANT_KEYS_FILE: join(folder, 'grant-keys'),
    };
    const secrets = () => Object.values(files).map((file) => readFileSync(file, 'utf8'));
    const setup = () =>
      spawnSync(process.execPath, [join(ROOT, 'deploy', 'setup.mjs')], {
        env: { DATABASE_URL: env.DATABASE_URL, ...files },
        encoding: 'utf8',
      });
    try {
      expect(setup()).toMatchObject({ status: 0, stderr: '' });
      const made = secrets();
      expect(made[0]!.trim().length).toBeGreaterThanOrEqual(32);
      expect(JSON.parse(made[1]!)).toHaveLength(1);
      for (const file of Object.values(files)) expect(statSync(file).mode & 0o777).toBe(0o600);
      const service = await ServiceProcess.start(
        { DATABASE_URL: env.DATABASE_URL, ...files, PATH: process.env.PATH },
        { shell: `exec ${join(ROOT, 'deploy', 'docker-entrypoint.sh')} "$@"` },
      );
      expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
      expect(setup()).toMatchObject({ status: 0, stderr: '' });
      expect(secrets()).toEqual(made);
    } finally {
      await drop();
    }
  });

  it('says what is wrong', () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'deploy', 'setup.mjs')], {
      env: {
        DATABASE_URL: 'postgres://postgres@127.0.0.1:1/x',
        APP_SECRET_FILE: join(newFolder(), 'app-secret'),
        GRANT_KEYS_FILE: join(newFolder(), 'grant-keys'),
      },
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('ECONNREFUSED');
  });
});
