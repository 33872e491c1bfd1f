import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ForeignAccountDevice } from '../support/device/foreign-device';
import { RelayFixture } from '../support/relay-fixture';
import type { Service } from '../support/service';

const run = promisify(execFile);
const ROOT = join(__dirname, '..', '..');
/** Package of the generators. It is not part of the project's own packages, which everyone installs. */
const PACKAGE = join(ROOT, 'test', 'support', 'generators');
const lockHash = createHash('sha256')
  .update(readFileSync(join(PACKAGE, 'package-lock.json')))
  .digest('hex');
const INSTALLED = join(ROOT, 'node_modules', '.cache', `generators-${lockHash.slice(0, 12)}`);
const MINUTES = 60_000;

const ORVAL_CONFIG = `
const make = (api, client) => ({
  input: { target: './' + api + '.json' },
  output: { target: './orval-' + api + '/' + client + '.ts', client, baseUrl: { getBaseUrlFromSpecification: true } },
});
module.exports = {
  a: make('external', 'fetch'), b: make('device', 'fetch'), c: make('external', 'zod'), d: make('device', 'zod'),
};`;

const COMPILER_OPTIONS = {
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: ['node'],
};

/** One call to each API with each client, as a user of the generator writes it. */
const CALLS = `
import createFetchClient from 'openapi-fetch';
import * as hey from './hey-external/index';
import { client as heyClient } from './hey-external/client.gen';
import * as heyDevice from './hey-device/index';
import { client as heyDeviceClient } from './hey-device/client.gen';
import * as orval from './orval-external/fetch';
import * as orvalDevice from './orval-device/fetch';
import * as oazapfts from './oazapfts-external/index';
import * as oazapftsDevice from './oazapfts-device/index';
import { Api } from './swagger-external/index';
import { Api as DeviceApi } from './swagger-device/index';
import type { paths } from './types-external';
import type { paths as devicePaths } from './types-device';

const { HOST, TOKEN, DEVICE_TOKEN } = process.env as Record<string, string>;
const bearer = (token: string) => ({ headers: { Authorization: 'Bearer ' + token } });
const body = { name: 'generated', scopes: ['machines:read' as const] };
const seen: Record<string, unknown> = {};

heyClient.setConfig(bearer(TOKEN));
heyDeviceClient.setConfig(bearer(DEVICE_TOKEN));
const heyMachines = await hey.listMachines();
const heyToken = await heyDevice.createExternalToken({ body });
seen['hey-api'] = [heyMachines.data?.data.length, heyToken.response.status];

const orvalMachines = await orval.listMachines({}, bearer(TOKEN));
const orvalToken = await orvalDevice.createExternalToken(body, bearer(DEVICE_TOKEN));
seen.orval = [orvalMachines.status === 200 && orvalMachines.data.data.length, orvalToken.status];

const oazapftsMachines = await oazapfts.listMachines({}, bearer(TOKEN));
const oazapftsToken = await oazapftsDevice.createExternalToken(body, bearer(DEVICE_TOKEN));
seen.oazapfts = [oazapftsMachines.status === 200 && oazapftsMachines.data.data.length, oazapftsToken.status];

const swagger = await new Api({ baseApiParams: bearer(TOKEN) }).machines.listMachines();
const swaggerToken = await new DeviceApi({ baseApiParams: bearer(DEVICE_TOKEN) }).v1.createExternalToken(body);
seen['swagger-typescript-api'] = [swagger.data.data.length, swaggerToken.status];

const external = createFetchClient<paths>({ baseUrl: HOST + '/external/v1', ...bearer(TOKEN) });
const device = createFetchClient<devicePaths>({ baseUrl: HOST, ...bearer(DEVICE_TOKEN) });
const typed = await external.GET('/machines');
const typedToken = await device.POST('/v1/account/external-tokens', { body });
seen['openapi-typescript'] = [typed.data?.data.length, typedToken.response.status];

console.log(JSON.stringify(seen));
`;

/** Validates the JSON text of its argument by a schema of the generated client. */
const VALIDATE = `
import * as external from './orval-external/zod';
import * as device from './orval-device/zod';
const [, , api, name, text] = process.argv;
const result = ({ external, device } as any)[api!][name!].safeParse(JSON.parse(text!));
console.log(JSON.stringify(result.success ? [] : result.error.issues));
`;

describe('clients generated from both OpenAPI documents', () => {
  let fixture: RelayFixture;
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let folder: string;

  const runTool = (name: string, ...args: string[]) =>
    run(join(INSTALLED, 'node_modules', '.bin', name), args, { cwd: folder, maxBuffer: 1e8 });
  const runOwnTool = (path: string, ...args: string[]) =>
    run(process.execPath, [join(ROOT, 'node_modules', path), ...args], { cwd: folder, maxBuffer: 1e8 });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const bundle = (name: string) =>
    runOwnTool(
      'esbuild/bin/esbuild',
      `${name}.ts`,
      '--bundle',
      '--platform=node',
      '--format=esm',
      `--outfile=${name}.mjs`,
    );

  beforeAll(async () => {
    await installGenerators();
    fixture = await RelayFixture.start();
    ({ service, ada } = fixture);
    await fixture.createOfflineMachine();
    ({ token } = await ada.createToken(['machines:read', 'webhooks:manage']));
    folder = mkdtempSync(join(INSTALLED, 'clients-'));
    for (const [api, path] of [
      ['external', '/external/v1/openapi.json'],
      ['device', '/v1/openapi.json'],
    ] as const) {
      write(`${api}.json`, JSON.stringify((await service.http.get(path)).body));
      await runTool('openapi-ts', '-i', `${api}.json`, '-o', `hey-${api}`, '-c', '@hey-api/client-fetch');
      await runTool(
        'swagger-typescript-api',
        'generate',
        '-p',
        `${api}.json`,
        '-o',
        `swagger-${api}`,
        '-n',
        'index.ts',
      );
      mkdirSync(join(folder, `oazapfts-${api}`));
      await runTool('oazapfts', `${api}.json`, `oazapfts-${api}/index.ts`);
      await runOwnTool('openapi-typescript/bin/cli.js', `${api}.json`, '-o', `types-${api}.ts`);
      await runTool('openapi2postmanv2', '-s', `${api}.json`, '-o', `postman-${api}.json`);
    }
    write('orval.config.cjs', ORVAL_CONFIG);
    await runTool('orval', '--config', 'orval.config.cjs');
    write('calls.ts', CALLS);
    write('validate.ts', VALIDATE);
  }, 10 * MINUTES);
  afterAll(async () => {
    await fixture?.stop();
    if (folder) rmSync(folder, { recursive: true });
  });

  it(
    'compile strictly',
    async () => {
      write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['**/*.ts'] }));
      const compiled = await runOwnTool('typescript-native/bin/tsc', '-p', '.').catch(
        (error: { stdout: string }) => error,
      );
      expect(compiled.stdout).toBe('');
    },
    5 * MINUTES,
  );

  it(
    'call the External API and the device API at their URLs',
    async () => {
      await bundle('calls');
      const env = { ...process.env, HOST: service.url, TOKEN: token, DEVICE_TOKEN: ada.token };
      const { stdout } = await run(process.execPath, ['calls.mjs'], { cwd: folder, env });
      const reached = [1, 201];
      expect(JSON.parse(stdout)).toEqual({
        'hey-api': reached,
        orval: reached,
        oazapfts: reached,
        'swagger-typescript-api': reached,
        'openapi-typescript': reached,
      });
    },
    2 * MINUTES,
  );

  it.each([
    ['external', 'List machines', 200, () => token],
    ['device', 'Create a personal access token', 201, () => ada.token],
  ] as const)('are collections of Postman: %s', async (api, name, status, getToken) => {
    const collection = JSON.parse(readFileSync(join(folder, `postman-${api}.json`), 'utf8'));
    const { request } = listRequests(collection).find((item) => item.name === name)!;
    const baseUrl = collection.variable.find(({ key }: { key: string }) => key === 'baseUrl').value;
    const url = [...request.url.host, ...request.url.path].join('/').replace('{{baseUrl}}', baseUrl);
    const response = await fetch(url, {
      method: request.method,
      headers: { Authorization: `Bearer ${getToken()}`, 'Content-Type': 'application/json' },
      body: request.method === 'POST' ? JSON.stringify({ name: 'postman', scopes: ['machines:read'] }) : undefined,
    });
    expect(response.status).toBe(status);
  });

  it(
    'accept values that are added tomorrow',
    async () => {
      await bundle('validate');
      const validate = async (api: string, name: string, body: unknown) => {
        const { stdout } = await run(process.execPath, ['validate.mjs', api, name, JSON.stringify(body)], {
          cwd: folder,
        });
        return JSON.parse(stdout) as unknown[];
      };
      const machines = (await service.http.get('/external/v1/machines', token)).body;
      const webhooks = (await service.http.get('/external/v1/webhooks', token)).body;
      const devices = (await service.http.get('/v1/devices', ada.token)).body;
      const validateAll = async () => [
        await validate('external', 'listMachinesResponse', machines),
        await validate('external', 'listWebhooksResponse', webhooks),
        await validate('device', 'listDevicesResponse', devices),
      ];
      expect(await validateAll()).toEqual([[], [], []]);
      machines.data[0].state = 'draining';
      webhooks.availableEvents.push('machine.renamed');
      devices.data[0].kind = 'watch';
      expect(await validateAll()).toEqual([[], [], []]);
      machines.data[0].state = 7;
      expect(await validate('external', 'listMachinesResponse', machines)).not.toEqual([]);
    },
    2 * MINUTES,
  );
});

/** Installs the locked versions once, into the cache that `npm ci` of the project deletes. */
async function installGenerators(): Promise<void> {
  if (existsSync(join(INSTALLED, 'node_modules', '.package-lock.json'))) return;
  cpSync(PACKAGE, INSTALLED, { recursive: true });
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: INSTALLED });
}

interface CollectionItem {
  name: string;
  item?: CollectionItem[];
  request?: any;
}

function listRequests({ item = [] }: { item?: CollectionItem[] }): (CollectionItem & { request: any })[] {
  return item.flatMap((entry) => (entry.request ? [{ ...entry, request: entry.request }] : listRequests(entry)));
}
