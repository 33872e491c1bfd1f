import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SETTING_NAMES } from '../../src/core/config';
import { settingsSchema } from '../../src/core/config/environment';
import { BUILD_FOLDER } from '../support/ensure-service-built';
import { TEST_GRANT_KEYS } from '../support/grant-keys';
import { createMigratedFolder, createTempFolder } from '../support/temp-folder';
import { ServiceProcess } from '../support/service-process';

describe('the configuration at start', () => {
  it('is rejected with the name of every invalid variable, without values', async () => {
    const { code, stdout, stderr } = await ServiceProcess.runUntilExit({
      HOST: ' ',
      PORT: 'eighty',
      PUBLIC_URL: 'https://user:hunter2@example.org/path',
      DATABASE_URL: 'mysql://root:hunter2@localhost/x',
      REDIS_URL: 'http://:hunter2@localhost',
      APP_SECRET: 'hunter2',
      GRANT_KEYS: '["hunter2"]',
      SIGNUP: 'perhaps',
      RATE_LIMIT_METADATA: '-1',
      RATE_LIMIT_RELAY: 'many',
      RATE_LIMIT_ADDRESS: '0',
      TRUST_PROXY: 'my-proxy',
      LOG_LEVEL: 'loud',
      METRICS_PORT: '65536',
      WEBHOOK_ALLOW_HTTP: 'maybe',
      WEBHOOK_ALLOW_CIDRS: 'my-network',
      WEBHOOK_RETRY_SCHEDULE: 'often',
      WEBHOOK_TIMEOUT_SECONDS: 'never',
    });
    expect(code).toBe(1);
    expect(stdout).toBe('');
    const variables = stderr.match(/^ {2}[A-Z_]+/gm)!.map((line) => line.trim());
    expect([...new Set(variables)].sort()).toEqual([
      'APP_SECRET',
      'DATABASE_URL',
      'GRANT_KEYS',
      'HOST',
      'LOG_LEVEL',
      'METRICS_PORT',
      'PORT',
      'PUBLIC_URL',
      'RATE_LIMIT_ADDRESS',
      'RATE_LIMIT_METADATA',
      'RATE_LIMIT_RELAY',
      'REDIS_URL',
      'SIGNUP',
      'TRUST_PROXY',
      'WEBHOOK_ALLOW_CIDRS',
      'WEBHOOK_ALLOW_HTTP',
      'WEBHOOK_RETRY_SCHEDULE',
      'WEBHOOK_TIMEOUT_SECONDS',
    ]);
    expect(stderr).not.toContain('hunter2');
    expect(stderr).not.toContain('    at ');
  });

  it('is validated before the application is loaded', async () => {
    const moduleList = join(createTempFolder(), 'modules');
    const preload = join(__dirname, '..', 'support', 'write-module-list.cjs');
    const env = { NODE_OPTIONS: `--require=${preload}`, MODULE_LIST: moduleList, PORT: 'eighty' };
    expect(await ServiceProcess.runUntilExit(env, { build: BUILD_FOLDER })).toMatchObject({ code: 1, stdout: '' });
    const modules = readFileSync(moduleList, 'utf8');
    expect(modules).toContain('load-config');
    expect(modules).not.toMatch(/node_modules\/(@nestjs|typeorm|express|rxjs|pino)/);
  });

  it('is read from files, and misspelt variables are reported in the log', async () => {
    const folder = createMigratedFolder(createTempFolder());
    const file = join(folder, 'public-url');
    writeFileSync(file, 'https://api.example.org\n');
    const service = await ServiceProcess.start({
      DATA_DIR: folder,
      PUBLIC_URL_FILE: file,
      RATE_LIMT_RELAY: '6',
      NODE_ENV: 'production',
    });
    const { stdout } = await service.stop();
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; level: number });
    expect(lines.find(({ msg }) => msg === 'listening')).toMatchObject({ publicUrl: 'https://api.example.org' });
    expect(lines.filter(({ level }) => level > 30)).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'unknown setting ignored',
        variable: 'RATE_LIMT_RELAY',
        nearest: 'RATE_LIMIT_RELAY',
      }),
    ]);
  });

  it('is documented: each setting is in .env.example and in the table, and nothing else', () => {
    const read = (path: string) => readFileSync(join(__dirname, '..', '..', path), 'utf8');
    const inExample = [...read('.env.example').matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name);
    const cells = [...read('docs/configuration.md').matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell]) => cell!);
    const inTable = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name));
    expect(inExample.sort()).toEqual([...SETTING_NAMES].sort());
    expect(inTable.sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('is documented with its defaults, in .env.example and in the table', () => {
    const read = (path: string) => readFileSync(join(__dirname, '..', '..', path), 'utf8');
    const settings = Object.entries<unknown>(settingsSchema.parse({})).filter(([, value]) => value !== undefined);
    const defaults = settings.map(([name, value]) => [name, String(value as string | string[])] as const);
    expect(defaults.length).toBeGreaterThan(30);
    const examples = [...read('.env.example').matchAll(/^#([A-Z_]+)=(.*)$/gm)];
    const inExample = new Map(examples.map(([, name, value]) => [name, value]));
    const inTable = new Map<string | undefined, string | undefined>();
    for (const row of read('docs/configuration.md').matchAll(/^\| (`[A-Z][^|]+) \| ([^|]+) \|/gm)) {
      const [names, values] = row.slice(1).map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text));
      for (const [index, name] of names!.entries()) inTable.set(name, values![index]);
    }
    for (const [name, value] of defaults) {
      expect([name, inExample.get(name)]).toEqual([name, value]);
      // The table names the makers of the browsers instead.
      if (name !== 'PUSH_ALLOW_HOSTS') expect([name, inTable.get(name)]).toEqual([name, value]);
    }
  });

  it('reports missing variables', async () => {
    const { code, stderr } = await ServiceProcess.runUntilExit({ DATABASE_URL: 'postgres://localhost/x' });
    expect(code).toBe(1);
    expect(stderr).toContain('APP_SECRET is required');
    expect(stderr).toContain('GRANT_KEYS is required');
  });

  it.each([
    ['PORT', (port: number) => `Port ${port} is in use. Start with PORT=${port + 1} npm start.\n`],
    ['METRICS_PORT', (port: number) => `Port ${port} is in use. Set another METRICS_PORT.\n`],
  ])('reports in one line that %s is in use', async (variable, formatMessage) => {
    const taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await ServiceProcess.runUntilExit({
      DATA_DIR: createMigratedFolder(createTempFolder()),
      [variable]: String(port),
    });
    taken.close();
    expect(code).toBe(1);
    expect(stderr).toBe(formatMessage(port));
  });

  it.each(['x86_64-conda-linux-gnu', '192.0.2.1', 'fe80::1'])(
    'reports in one line that HOST=%s is not here',
    async (HOST) => {
      const { code, stderr } = await ServiceProcess.runUntilExit({
        DATA_DIR: createMigratedFolder(createTempFolder()),
        HOST,
      });
      expect({ code, stderr }).toEqual({ code: 1, stderr: `HOST (${HOST}) is not an address of this computer.\n` });
    },
  );

  it('logs the port that it has chosen for PORT=0, which the public URL has as well', async () => {
    const folder = createMigratedFolder(createTempFolder());
    const env = { DATA_DIR: folder, PORT: '0', NODE_ENV: 'production' };
    const line = await new Promise<string>((resolve, reject) => {
      const onLine = (each: string) => {
        if (!each.includes('"msg":"listening"')) return;
        service.then((process) => process.stop(), reject);
        resolve(each);
      };
      const service = ServiceProcess.launchProcess(env, { onLine });
    });
    const { port, publicUrl } = JSON.parse(line) as { port: number; publicUrl: string };
    expect(port).toBeGreaterThan(0);
    expect(publicUrl).toBe(`http://localhost:${port}`);
  });

  it.each([
    ['DATABASE_URL', {}],
    ['DATABASE_MIGRATION_URL', { DATABASE_MIGRATION_URL: 'postgres://ada:hunter2@127.0.0.1:1/y' }],
  ])('reports in one line that the database at %s cannot be reached', async (setting, more) => {
    const { code, stderr } = await ServiceProcess.runUntilExit({
      DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:1/x',
      APP_SECRET: 'a'.repeat(32),
      GRANT_KEYS: TEST_GRANT_KEYS,
      ...more,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^The database at ${setting} cannot be used: .*ECONNREFUSED.*\n$`));
    expect(stderr).not.toContain('hunter2');
  });
});
