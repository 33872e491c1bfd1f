import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMigratedFolder, removeTempFolders } from '../../support/temp-folder';
import { ServiceProcess } from '../../support/service-process';
import { REPOSITORY_ROOT } from './dockerfile';
import { ImageLayout } from './image-layout';

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
    removeTempFolders();
  });

  const health = (PORT: number) => {
    const [, ...words] = JSON.parse(/CMD (.+)$/.exec(imageLayout.imageStage.settings.HEALTHCHECK!)![1]!) as string[];
    return spawnSync(process.execPath, words, { env: { PORT: String(PORT) } }).status;
  };

  it('serves with only its own files and production dependencies', async () => {
    expect(existsSync(join(imageLayout.folder, 'src'))).toBe(false);
    expect(existsSync(join(imageLayout.folder, 'node_modules', 'jest'))).toBe(false);
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

  it('reads settings from files in each program, without an entry point of its own', () => {
    const { ENTRYPOINT, CMD } = imageLayout.imageStage.settings;
    expect(ENTRYPOINT).toBe('[]');
    for (const program of [...(JSON.parse(CMD!) as string[]).slice(1), 'dist/src/programs/admin/main.js']) {
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

  it('contains the admin program', () => {
    const { status, stdout } = spawnSync(process.execPath, ['dist/src/programs/admin/main.js', '--help'], {
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

  it('is built without files that may contain secrets', () => {
    const lines = readFileSync(join(REPOSITORY_ROOT, '.dockerignore'), 'utf8').split('\n');
    const rules = lines.filter((line) => line && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    const allowed = rules.slice(1).map((rule) => rule.slice(1));
    expect(rules.slice(1).every((rule) => rule.startsWith('!'))).toBe(true);
    expect(allowed.sort()).toEqual([...new Set(imageLayout.copiedSources)].sort());
  });
});
