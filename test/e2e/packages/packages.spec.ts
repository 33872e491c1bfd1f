import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PackageStore } from '../../../src/web/packages/package-store';
import { ensurePackagesBuilt } from '../../support/ensure-service-built';
import { Service } from '../../support/service';

const PACKAGES = { device: 'xapi-device', client: 'xapi', mcp: 'external-api-mcp' };
const PUBLIC_URL = 'https://api.example.org';

describe('the packages of a service', () => {
  let service: Service;
  let folder: string;
  beforeAll(async () => {
    await ensurePackagesBuilt();
    service = await Service.start({ PUBLIC_URL });
    folder = mkdtempSync(join(tmpdir(), 'packages-'));
  }, 120_000);
  afterAll(async () => {
    await service?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(service.url + path, { method, headers });
  const readIndex = async () => (await (await get('/packages/index.json')).json()).packages;
  const digest = (content: Buffer, algorithm: string) => createHash(algorithm).update(content);

  it.each(Object.entries(PACKAGES))('are served as the index describes them: %s', async (name, command) => {
    const description = (await readIndex())[name];
    expect(description).toMatchObject({
      name: `@external-api/${name}`,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      file: `${name}.tgz`,
      url: `${PUBLIC_URL}/packages/${name}.tgz`,
      node: expect.stringContaining('20'),
    });
    const response = await get(`/packages/${name}.tgz`);
    const content = Buffer.from(await response.arrayBuffer());
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(description.size),
      'content-disposition': `attachment; filename=external-api-${name}-${description.version}.tgz`,
      'cache-control': 'public, no-cache',
      etag: `"${description.sha256}"`,
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.has('content-encoding')).toBe(false);
    expect(content.length).toBe(description.size);
    expect(digest(content, 'sha256').digest('hex')).toBe(description.sha256);
    expect(`sha512-${digest(content, 'sha512').digest('base64')}`).toBe(description.integrity);
    const file = join(folder, `${name}.tgz`);
    writeFileSync(file, content);
    const manifest = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
    expect(Object.keys(JSON.parse(manifest).bin)).toEqual([command]);
  });

  it('can be installed by npm from their URL, without a registry', async () => {
    const options = ['--no-audit', '--no-fund', `--prefix=${folder}`, '--registry=http://127.0.0.1:9'];
    const urls = Object.keys(PACKAGES).map((name) => `${service.url}/packages/${name}.tgz`);
    const env = { PATH: process.env.PATH, HOME: folder };
    await promisify(execFile)('npm', ['install', '--global', ...options, ...urls], { cwd: folder, env });
    const version = execFileSync(join(folder, 'bin', 'xapi'), ['--version'], { env, encoding: 'utf8' });
    expect(version).toBe(`xapi ${(await readIndex()).client.version}\n`);
  }, 60_000);

  it.each([
    ['/packages/index.json', 'application/json; charset=utf-8'],
    ['/packages/device.tgz', 'application/gzip'],
    ['/install.sh', 'text/plain; charset=utf-8'],
  ])('answer HEAD, and 304 to a cache that has %s, of the type %s', async (path, type) => {
    const head = await get(path, {}, 'HEAD');
    const etag = head.headers.get('etag')!;
    expect([head.status, await head.text(), etag]).toEqual([200, '', expect.stringMatching(/^"[0-9a-f]{64}"$/)]);
    expect(head.headers.get('content-type')).toBe(type);
    const cached = await get(path, { 'If-None-Match': etag });
    expect([cached.status, await cached.text()]).toEqual([304, '']);
    expect((await get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it.each(['/packages/other.tgz', '/packages/.record.json', '/packages/..%2Fpackage.json', '/packages'])(
    'have no other files: %s',
    async (path) => {
      const response = await get(path);
      expect([response.status, (await response.json()).code]).toEqual([404, 'not_found']);
      expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    },
  );

  it('are not there if the build has none, is incomplete, or is being replaced', () => {
    const store = new PackageStore(join(folder, 'dist'));
    const getCode = () => {
      try {
        return store.getPackages().tarballs.size;
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const content = Buffer.from('a package');
    const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, 'dist', name), text);
    expect(getCode()).toBe('not_found');
    execFileSync('mkdir', [join(folder, 'dist')]);
    write('index.json', JSON.stringify({ a: { file: 'a.tgz', sha256: digest(content, 'sha256').digest('hex') } }));
    expect(getCode()).toBe('not_found');
    write('a.tgz', 'another build');
    expect(getCode()).toBe('not_found');
    write('a.tgz', content);
    expect(getCode()).toBe(1);
    // A later build doesn't change what a running instance hands out.
    write('a.tgz', 'a later build');
    expect(store.getPackages().tarballs.get('a.tgz')).toEqual(content);
  });
});
