import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { migratedFolder, removeFolders } from '../../support/data-folder';
import { ServiceProcess } from '../../support/service-process';
import { ROOT } from './dockerfile';
import { Layout } from './layout';

describe('the image', () => {
  let layout: Layout;
  let service: ServiceProcess;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    layout = Layout.make();
    env = { ...layout.image.env, HOST: '127.0.0.1', DATA_DIR: migratedFolder() };
    const command = (JSON.parse(layout.image.settings.CMD!) as string[]).slice(1).join(' ');
    service = await ServiceProcess.launch(env, { cwd: layout.folder, shell: `exec "$1" ${command}` });
    await service.ready();
  }, 180_000);
  afterAll(async () => {
    await service?.stop();
    layout?.remove();
    removeFolders();
  });

  const health = (PORT: number) => {
    const [, ...words] = JSON.parse(/CMD (.+)$/.exec(layout.image.settings.HEALTHCHECK!)![1]!) as string[];
    return spawnSync(process.execPath, words, { env: { PORT: String(PORT) } }).status;
  };

  it('serves with its own files and production dependencies alone', async () => {
    expect(existsSync(join(layout.folder, 'src'))).toBe(false);
    expect(existsSync(join(layout.folder, 'node_modules', 'jest'))).toBe(false);
    expect((await service.http.get('/health/ready')).status).toBe(200);
    const document = await service.http.get('/external/v1/openapi.json');
    expect(Object.keys(document.body.paths)).toContain('/machines/{id}/invoke');
    const pages = [
      '/docs/getting-started',
      '/docs/errors',
      '/docs/reference',
      '/docs/assets/swagger-ui.css',
      '/console/sign-up',
    ];
    for (const page of pages) expect((await service.http.get(page)).status).toBe(200);
    const { body: html } = await service.http.get('/console/sign-up');
    const loaded = [...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(loaded.length).toBeGreaterThan(2);
    for (const path of loaded) expect((await service.http.get(path)).status).toBe(200);
  });

  it('tells its health: well while it serves, ill where nothing does', () => {
    expect(health(service.port)).toBe(0);
    expect(health(1)).toBe(1);
  });

  it('has the program for invitations in it', () => {
    const { status, stdout } = spawnSync(process.execPath, ['dist/src/admin/main.js', '--help'], {
      cwd: layout.folder,
      env: {},
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout).toContain('invite');
  });

  it('runs as a user with few rights and stops as the service does', () => {
    const { USER, STOPSIGNAL, EXPOSE } = layout.image.settings;
    expect({ USER, STOPSIGNAL, EXPOSE }).toEqual({ USER: 'node', STOPSIGNAL: 'SIGTERM', EXPOSE: '3000' });
  });

  it('is built from what .dockerignore lets through, and from nothing that holds secrets', () => {
    const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    const rules = lines.filter((line) => line && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    const allowed = rules.slice(1).map((rule) => rule.slice(1));
    expect(rules.slice(1).every((rule) => rule.startsWith('!'))).toBe(true);
    expect(allowed.sort()).toEqual([...new Set(layout.copied)].sort());
  });
});

describe('its entry point', () => {
  const entrypoint = join(ROOT, 'deploy', 'docker-entrypoint.sh');
  const valueIn = (variable: string, env: NodeJS.ProcessEnv) =>
    spawnSync(entrypoint, ['/bin/sh', '-c', `printf %s "\${${variable}:-none}"`], { env, encoding: 'utf8' });

  it.each(['APP_SECRET', 'GRANT_KEYS'])('reads %s from its file where it is not given', (variable) => {
    const file = join(ROOT, '.prettierrc.json');
    const text = readFileSync(file, 'utf8').trim();
    expect(valueIn(variable, { [`${variable}_FILE`]: file }).stdout).toBe(text);
    expect(valueIn(variable, { [`${variable}_FILE`]: file, [variable]: 'given' }).stdout).toBe('given');
    expect(valueIn(variable, {}).stdout).toBe('none');
  });

  it.each(['APP_SECRET', 'GRANT_KEYS'])('does not start anything without the file of %s', (variable) => {
    const { status, stdout, stderr } = valueIn(variable, { [`${variable}_FILE`]: '/nowhere' });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('/nowhere');
  });
});
