import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeWith } from '../../support/dependencies';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { findFreePort } from '../../support/find-free-port';
import { createTestDatabase, type TestDatabase } from '../../support/postgres';
import { RedisProcess } from '../../support/redis-process';
import { createMigratedFolder, createTempFolder } from '../../support/temp-folder';
import { ServiceProcess } from '../../support/service-process';
import { REPOSITORY_ROOT } from './dockerfile';
import { ImageLayout } from './image-layout';
import { readManifests } from './kubernetes-manifests';

describe('the image', () => {
  let imageLayout: ImageLayout;
  let service: ServiceProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    imageLayout = ImageLayout.buildLayout();
    env = { ...imageLayout.imageStage.env, HOST: '127.0.0.1', DATA_DIR: createMigratedFolder() };
    const command = (JSON.parse(imageLayout.imageStage.settings.CMD!) as string[]).slice(1).join(' ');
    service = await ServiceProcess.launchProcess(env, {
      cwd: imageLayout.folder,
      shell: `exec "$1" ${command}`,
    });
    await service.waitUntilReady();
  }, 180_000);
  afterAll(async () => {
    await service?.stop();
    imageLayout?.removeFiles();
  });

  const health = (PORT: number) => {
    const [, ...words] = JSON.parse(/CMD (.+)$/.exec(imageLayout.imageStage.settings.HEALTHCHECK!)![1]!) as string[];
    return spawnSync(process.execPath, words, { env: { PORT: String(PORT) } }).status;
  };

  it('contains no code but the bundles and the packages outside of them', () => {
    const listNames = (...path: string[]) => readdirSync(join(imageLayout.folder, ...path)).sort();
    expect(listNames()).toEqual(['dist', 'docs', 'node_modules', 'openapi.json', 'package.json']);
    expect(listNames('node_modules')).toEqual(['@electric-sql', '@opentelemetry', 'real-require', 'thread-stream']);
    const files = readdirSync(join(imageLayout.folder, 'dist'), { recursive: true, encoding: 'utf8' });
    const scripts = files.filter((name) => name.endsWith('.js') && !/^clients\/(console|docs)\//.test(name)).sort();
    const programs = ['admin', 'service', 'setup'].flatMap((name) => [`${name}.bundle.js`, `${name}.js`]);
    expect(scripts).toEqual(programs.map((name) => `programs/${name}`));
  });

  it('is built with the package.json of each package whose dependencies npm installs', () => {
    const packages = readdirSync(join(REPOSITORY_ROOT, 'packages')).map((name) => `packages/${name}`);
    const clients = imageLayout.copiedSources.filter((source) => /^clients\/[a-z]+$/.test(source));
    const manifests = [...packages, ...clients].map((folder) => `${folder}/package.json`);
    expect(imageLayout.copiedSources).toEqual(expect.arrayContaining(manifests));
  });

  it('serves with only its own files', async () => {
    expect((await service.http.get('/health/ready')).status).toBe(200);
    const document = await service.http.get('/external/v1/openapi.json');
    expect(Object.keys(document.body.paths)).toContain('/machines/{id}/invoke');
    const pages = [
      '/docs/getting-started',
      '/docs/errors',
      '/docs/reference',
      '/docs/reference/sessions/listSessions',
      '/docs/protocol/relay',
      '/console/sign-up',
    ];
    for (const page of pages) expect((await service.http.get(page)).status).toBe(200);
    const { body: html } = await service.http.get('/console/sign-up');
    const loaded = [...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) expect((await service.http.get(path)).status).toBe(200);
  });

  it('hands out the packages of the clients and the script that installs them', async () => {
    const { packages } = (await service.http.get('/packages/index.json')).body;
    expect(Object.keys(packages)).toEqual(['device', 'client', 'mcp']);
    for (const file of Object.keys(packages).map((name) => `${name}.tgz`))
      expect((await fetch(`${service.http.url}/packages/${file}`)).status).toBe(200);
    expect((await service.http.get('/install.sh')).body).toMatch(/^#!\/bin\/sh\n/);
  });

  it('has V8’s compiled code of its programs', () => {
    const caches = readdirSync(join(imageLayout.folder, 'dist', 'programs')).filter((name) => name.endsWith('.cache'));
    expect(caches.map((name) => name.split('.')[0]).sort()).toEqual(['admin', 'service']);
  });

  it('reads settings from files in each program, without an entry point of its own', () => {
    const { ENTRYPOINT, CMD } = imageLayout.imageStage.settings;
    expect(ENTRYPOINT).toBe('[]');
    for (const program of [...(JSON.parse(CMD!) as string[]).slice(1), 'dist/programs/admin.js']) {
      const { status, stderr } = spawnSync(process.execPath, [program, 'migrate'], {
        cwd: imageLayout.folder,
        env: { DATABASE_URL_FILE: '/nowhere' },
        encoding: 'utf8',
      });
      expect(status).toBe(1);
      expect(stderr).toContain('DATABASE_URL cannot be read from the file in DATABASE_URL_FILE: ENOENT');
    }
  });

  it('reports its health', () => {
    expect(health(service.port)).toBe(0);
    expect(health(1)).toBe(1);
  });

  it('serves an account on a new embedded database', async () => {
    const command = (JSON.parse(imageLayout.imageStage.settings.CMD!) as string[]).slice(1).join(' ');
    const DATA_DIR = join(createTempFolder(), 'data');
    const options = { cwd: imageLayout.folder, shell: `exec "$1" ${command}` };
    const pod = await ServiceProcess.start({ ...imageLayout.imageStage.env, HOST: '127.0.0.1', DATA_DIR }, options);
    const ada = await ForeignAccountDevice.signUp(pod.http);
    expect((await pod.http.get('/v1/devices', ada.token)).body.data).toHaveLength(1);
    expect(await pod.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('contains the setup program', () => {
    const folder = createTempFolder();
    const { status, stderr } = spawnSync(
      process.execPath,
      ['dist/programs/setup.js', join(folder, 'postgres-password')],
      {
        cwd: imageLayout.folder,
        env: {
          APP_SECRET_FILE: join(folder, 'app-secret'),
          GRANT_KEYS_FILE: '',
          REDIS_PASSWORD_FILE: '',
          DATABASE_URL_FILE: '',
        },
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(readdirSync(folder).sort()).toEqual(['app-secret', 'postgres-password']);
  });

  it('contains the admin program', () => {
    const { status, stdout } = spawnSync(process.execPath, ['dist/programs/admin.js', '--help'], {
      cwd: imageLayout.folder,
      env: {},
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toContain('invite');
  });

  it('runs as an unprivileged user and stops like the service', () => {
    const { USER, STOPSIGNAL, EXPOSE } = imageLayout.imageStage.settings;
    expect({ USER, STOPSIGNAL, EXPOSE }).toEqual({ USER: '1000:1000', STOPSIGNAL: 'SIGTERM', EXPOSE: '3000' });
  });

  const describeWithDatabases = describeWith('PostgreSQL', 'redis-server');
  describeWithDatabases('with the settings of deploy/kubernetes, as an unprivileged user who can write nothing', () => {
    const { ConfigMap: configMap, Deployment: deployment, Job: job } = readManifests();
    const [api] = deployment.spec.template.spec.containers;
    const user = process.getuid!() === 0 ? Number(deployment.spec.template.spec.securityContext.runAsUser) : undefined;
    let testDatabase: TestDatabase;
    let redis: RedisProcess;
    let podEnv: NodeJS.ProcessEnv;
    beforeAll(async () => {
      testDatabase = await createTestDatabase();
      redis = await RedisProcess.start();
      const folder = createTempFolder();
      const secrets = {
        'database-url': testDatabase.env.DATABASE_URL,
        'redis-url': redis.url,
        'app-secret': testDatabase.env.APP_SECRET,
        'grant-keys': testDatabase.env.GRANT_KEYS,
      };
      for (const [name, text] of Object.entries(secrets))
        writeFileSync(join(folder, name), `${text}\n`, { mode: 0o440 });
      for (const path of [...Object.keys(secrets).map((name) => join(folder, name)), folder])
        if (user) chownSync(path, user, user);
      chmodSync(folder, 0o550);
      chmodSync(dirname(imageLayout.folder), 0o755);
      const settings = Object.entries(configMap.data as Record<string, string>).map(([name, value]) => [
        name,
        value.replace(/^\/secrets\//, `${folder}/`),
      ]);
      podEnv = {
        ...imageLayout.imageStage.env,
        ...(Object.fromEntries(settings) as NodeJS.ProcessEnv),
        HOST: '127.0.0.1',
        SHUTDOWN_NOTICE_SECONDS: '0',
        METRICS_PORT: String(await findFreePort()),
        HOME: '/nonexistent',
        TMPDIR: '/nonexistent',
      };
    });
    afterAll(async () => {
      await redis?.removeProcess();
      await testDatabase?.dropDatabase();
    });

    const launch = () =>
      ServiceProcess.launchProcess(podEnv, {
        cwd: imageLayout.folder,
        uid: user,
        shell: `exec "$1" ${(JSON.parse(imageLayout.imageStage.settings.CMD!) as string[]).slice(1).join(' ')}`,
      });
    const migrate = (...options: string[]) => {
      const [program, ...args] = job.spec.template.spec.containers[0].command as string[];
      expect(program).toBe('node');
      const { status, stdout, stderr } = spawnSync(process.execPath, [...args, ...options], {
        cwd: imageLayout.folder,
        env: podEnv,
        uid: user,
        gid: user,
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      return JSON.parse(stdout) as { applied: string[]; pending: string[]; reverted: string };
    };

    it('doesn’t start before the Job has migrated the database', async () => {
      const { applied, pending } = migrate('--status');
      expect([applied.length, pending.length > 10]).toEqual([0, true]);
      expect(await (await launch()).exited).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^Migrations are pending/),
      });
      expect(migrate().applied).toEqual(pending);
      expect(migrate('--status')).toEqual({ applied: pending, pending: [] });
    });

    it('answers the probes and serves metrics, and stops gracefully', async () => {
      const pod = await launch();
      await pod.waitUntilReady();
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect((await pod.http.get(api[probe].httpGet.path)).status).toBe(200);
      expect((await fetch(`http://127.0.0.1:${podEnv.METRICS_PORT}/metrics`)).status).toBe(200);
      expect(await pod.stop()).toMatchObject({ code: 0, stderr: '' });
    });

    it('reverts the last migration and applies it again', () => {
      const { applied } = migrate('--status');
      expect(migrate('--revert')).toEqual({ reverted: applied.at(-1) });
      expect(migrate('--status').pending).toEqual([applied.at(-1)]);
      expect(migrate()).toEqual({ applied: [applied.at(-1)] });
    });
  });

  it('is built without files that may contain secrets', () => {
    const lines = readFileSync(join(REPOSITORY_ROOT, '.dockerignore'), 'utf8').split('\n');
    const rules = lines.filter((line) => line && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    const allowed = rules.slice(1).map((rule) => rule.slice(1));
    expect(rules.slice(1).every((rule) => rule.startsWith('!'))).toBe(true);
    const copied = [...new Set(imageLayout.copiedSources)];
    const isInFolder = (path: string) => copied.some((folder) => path.startsWith(`${folder}/`));
    expect(allowed.sort()).toEqual(copied.filter((path) => !isInFolder(path)).sort());
  });
});
