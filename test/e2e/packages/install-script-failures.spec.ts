import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PackageStore } from '../../../src/web/packages/package-store';
import { describeWith } from '../../support/dependencies';
import { ensurePackagesBuilt } from '../../support/ensure-service-built';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';
import { InstallHome } from '../../support/install-home';

describeWith('curl')('install.sh, where something is wrong', () => {
  let service: Service;
  let script: string;
  let home: InstallHome;

  beforeAll(async () => {
    await ensurePackagesBuilt();
    service = await Service.start();
    script = await (await fetch(`${service.url}/install.sh`)).text();
  }, 120_000);
  beforeEach(() => {
    home = new InstallHome();
  });
  afterEach(() => home.remove());
  afterAll(() => service?.stop());

  it('says that Node.js is missing', async () => {
    const { code, output } = await home.install(script, { PATH: join(home.path, 'none') }, ['/bin/sh']);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^install.sh: Needs Node\.js 20\.19\+, .* PATH has no node/),
    ]);
    expect(home.listFiles()).toEqual([]);
  });

  it.each(['16.20.2', '20.18.3', '21.7.3', '22.12.0'])('says that Node.js %s is too old', async (version) => {
    const file = join(home.path, 'old.cjs');
    const fake = { node: version };
    writeFileSync(
      file,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(fake)} } });`,
    );
    const { code, output } = await home.install(script, { NODE_OPTIONS: `--require ${file}` });
    expect([code, output]).toEqual([1, expect.stringMatching(/^install\.sh: Needs Node\.js .*24\.11\+\. \S+ is v\d+/)]);
    expect(home.listFiles()).toEqual(['old.cjs']);
  });

  it('accepts later versions of Node.js', async () => {
    const file = join(home.path, 'new.cjs');
    writeFileSync(
      file,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '26.0.0' } });`,
    );
    expect(await home.install(script, { NODE_OPTIONS: `--require ${file}` })).toMatchObject({ code: 0 });
  });

  it.each([
    ['a web page', 200, '<!doctype html><title>Sign in</title>', /device\.tgz is a web page\. A proxy or a login page/],
    ['another file', 200, 'other bytes', /device\.tgz has the SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}\. If/],
    ['an error', 429, '{}', /device\.tgz could not be downloaded\./],
  ])('installs nothing if the host answers with %s', async (_, status, body, reason) => {
    const { script: text } = await home.serve((_request, response) => response.writeHead(status).end(body));
    const { code, output } = await home.install(text);
    expect([code, output]).toEqual([1, expect.stringMatching(reason)]);
    expect(home.listFiles('.local')).toEqual(['bin', 'lib', 'lib/external-api']);
  });

  it.each([
    ['whose command fails', 'package/dist/main.cjs', /^install\.sh: xapi-device does not run with /m],
    ['without its command', 'package/dist/other.cjs', /device\.tgz does not contain package\/dist\/main\.cjs\.$/m],
  ])('installs nothing of a package %s', async (_, name, reason) => {
    mkdirSync(join(home.path, 'package/dist'), { recursive: true });
    writeFileSync(join(home.path, name), 'process.exit(1);');
    const content = execFileSync('tar', ['-czf', '-', name], { cwd: home.path });
    const { descriptions, tarballs } = new PackageStore().getPackages();
    const device = { ...descriptions.device, sha256: createHash('sha256').update(content).digest('hex') };
    const { script: text } = await home.serve(
      ({ url }, response) => response.end(url === '/packages/device.tgz' ? content : tarballs.get('client.tgz')),
      { descriptions: { ...descriptions, device }, tarballs },
    );
    const { code, output } = await home.install(text);
    expect([code, output]).toEqual([1, expect.stringMatching(reason)]);
    expect(home.listFiles('.local')).toEqual(['bin', 'lib', 'lib/external-api']);
  });

  it('loads the packages of a host that is busy at first, and that moves them to another address', async () => {
    const { tarballs } = new PackageStore().getPackages();
    let isBusy = true;
    const { script: text } = await home.serve(({ url = '' }, response) => {
      const [, folder, file = ''] = url.split('/');
      if (isBusy) response.writeHead(503).end();
      else if (folder === 'packages') response.writeHead(307, { location: `/moved/${file}` }).end();
      else response.end(tarballs.get(file));
      isBusy = false;
    });
    expect(await home.install(text)).toMatchObject({ code: 0 });
    home.expectInstalled();
  });

  it.each(['dash', 'bash'])('does nothing in %s if a portal answers with a page in its place', async (shell) => {
    const page = '<!doctype html>\n<html><body>\n<p>Sign in &amp; enjoy</p>\n</body></html>\n';
    const { url: HOST } = await home.serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    );
    const { code, output } = await home.install(`curl -fsS "$HOST/install.sh" | ${shell}`, { HOST });
    expect(code).not.toBe(0);
    expect(output).toMatch(/syntax error/i);
    expect(home.listFiles()).toEqual([]);
  });

  it('keeps both older commands if only one package can be loaded', async () => {
    await home.install(script);
    const files = ['xapi.cjs', 'xapi-device.cjs'].map((name) => join(home.path, '.local/lib/external-api', name));
    for (const file of files) writeFileSync(file, 'older');
    const { tarballs } = new PackageStore().getPackages();
    const { script: text } = await home.serve((request, response) => {
      if (request.url === '/packages/device.tgz') response.end(tarballs.get('device.tgz'));
      else response.writeHead(404).end();
    });
    expect(await home.install(text)).toMatchObject({ code: 1 });
    for (const file of files) expect(readFileSync(file, 'utf8')).toBe('older');
    home.expectInstalled();
  });

  it.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)('leaves nothing half-way after %s', async (signal) => {
    let isAsked = false;
    const { script: text } = await home.serve(() => (isAsked = true));
    const { child, exited } = home.start(text);
    await waitFor(() => expect(isAsked).toBe(true));
    process.kill(-child.pid!, signal);
    expect((await exited).code).not.toBe(0);
    expect(home.listFiles('.local')).toEqual(['bin', 'lib', 'lib/external-api']);
  });

  it('explains a folder that it can’t write to', async () => {
    const isRoot = process.getuid?.() === 0;
    const uid = isRoot ? 65_534 : undefined;
    mkdirSync(join(home.path, '.local/bin'), { recursive: true });
    if (!isRoot) chmodSync(join(home.path, '.local'), 0o555);
    for (const PREFIX of [undefined, '/proc/none']) {
      const { code, output } = await home.install(script, PREFIX ? { PREFIX } : {}, ['sh'], uid);
      expect([code, output]).toEqual([1, expect.stringMatching(/^install\.sh: Choose another folder with PREFIX: /)]);
    }
    if (!isRoot) chmodSync(join(home.path, '.local'), 0o755);
    expect(home.listFiles('.local')).toEqual(['bin']);
  });

  it('explains a folder of commands that it can’t write to, and changes nothing beside it', async () => {
    const isRoot = process.getuid?.() === 0;
    const [bin, lib] = ['.local/bin', '.local/lib/external-api'].map((path) => join(home.path, path)) as [
      string,
      string,
    ];
    for (const folder of [bin, lib]) mkdirSync(folder, { recursive: true });
    if (isRoot) chmodSync(lib, 0o777);
    else chmodSync(bin, 0o555);
    expect(await home.install(script, {}, ['sh'], isRoot ? 65_534 : undefined)).toEqual({
      code: 1,
      output: `install.sh: Choose another folder with PREFIX: ${bin} is not writable.\n`,
    });
    chmodSync(bin, 0o755);
    expect(home.listFiles('.local')).toEqual(['bin', 'lib', 'lib/external-api']);
  });

  it.each([
    [{ PREFIX: 'relative' }, /PREFIX must be an absolute path, not relative\./],
    [{ HOME: '' }, /HOME is not set\. Set PREFIX/],
  ])('refuses %j', async (env, reason) => {
    expect(await home.install(script, env)).toEqual({ code: 1, output: expect.stringMatching(reason) });
  });
});
