import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { renderInstallScript } from '../../../src/web/packages/install-script.controller';
import { PackageStore } from '../../../src/web/packages/package-store';
import { NODE_BINARIES } from '../../support/clients/client-package';
import { describeWith, itWith } from '../../support/dependencies';
import { ensurePackagesBuilt } from '../../support/ensure-service-built';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

/** All that the script may need, besides the shell and Node.js. */
const PROGRAMS = ['ln', 'mkdir', 'mktemp', 'mv', 'readlink', 'rm'];

describeWith('curl')('install.sh', () => {
  let service: Service;
  let script: string;
  let home: string;
  const servers: Server[] = [];
  beforeAll(async () => {
    await ensurePackagesBuilt();
    service = await Service.start();
    script = await (await fetch(`${service.url}/install.sh`)).text();
  }, 120_000);
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'install-home-'));
    // The user of one test is not that of the others.
    chmodSync(home, 0o755);
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });
  afterAll(() => service?.stop());

  const nodePath = (node = process.execPath) => `${dirname(node)}:/usr/bin:/bin`;
  const start = (text: string, env: NodeJS.ProcessEnv = {}, [shell, ...args]: string[] = ['sh'], uid?: number) => {
    const child = spawn(shell!, args, {
      cwd: home,
      env: { HOME: home, PATH: nodePath(), ...env },
      detached: true,
      uid,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
    child.stdin.on('error', () => undefined).end(text);
    const exited = new Promise<{ code: number | null; output: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, output })),
    );
    return { child, exited };
  };
  const install = (...args: Parameters<typeof start>) => start(...args).exited;
  const list = (path = '.') => readdirSync(join(home, path), { recursive: true, encoding: 'utf8' }).sort();
  const run = (command: string, arg: string, env: NodeJS.ProcessEnv = {}) =>
    spawnSync(command, [arg], { cwd: home, env: { HOME: home, PATH: nodePath(), ...env }, encoding: 'utf8' });
  const INSTALLED = ['xapi', 'xapi-device'].flatMap((name) => [`bin/${name}`, `lib/external-api/${name}.cjs`]);
  const isInstalled = (prefix = '.local') =>
    expect(list(prefix)).toEqual([...INSTALLED, 'bin', 'lib', 'lib/external-api'].sort());
  /** Starts a server that answers for the service, and returns the script of the service at its address. */
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return renderInstallScript(url, new PackageStore().getPackages().descriptions);
  };

  it.each(NODE_BINARIES)('installs both commands into an empty home, piped from curl, on %s', async (node) => {
    const env = { PATH: nodePath(node), HOST: service.url };
    const { code, output } = await install('curl -fsS "$HOST/install.sh" | dash', env);
    expect([code, output]).toEqual([0, expect.stringMatching(/^Installed xapi-device \S+ and xapi \S+ in .*bin$/m)]);
    expect(output).toContain('export PATH="$HOME/.local/bin:$PATH"');
    expect(output).toContain(`xapi login --host ${service.url}`);
    isInstalled();
    const bin = join(home, '.local', 'bin');
    expect(run(join(bin, 'xapi'), '--version', env)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^xapi \d/),
    });
    const help = run('xapi-device', '--help', { PATH: `${bin}:${nodePath(node)}` });
    expect(help).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: xapi-device <command>/) });
  });

  const runsIn = async (...shell: string[]) => {
    const PATH = `${join(home, '.local/bin')}:${nodePath()}`;
    const { code, output } = await install(script, { PATH }, shell);
    expect([code, output]).toEqual([0, expect.not.stringContaining('PATH')]);
    isInstalled();
  };
  it.each(['dash', 'bash'])('runs in %s, and is quiet about PATH if the folder is in it', (shell) => runsIn(shell));
  itWith('busybox')('runs in the shell of BusyBox', () => runsIn('busybox', 'sh'));

  const runsWith = async (loader: string) => {
    const bin = join(home, 'programs');
    mkdirSync(bin);
    const find = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
    for (const name of [...PROGRAMS, loader]) symlinkSync(find(name), join(bin, name));
    symlinkSync(process.execPath, join(bin, 'node'));
    expect(await install(script, { PATH: bin }, ['/bin/sh'])).toMatchObject({ code: 0 });
    isInstalled();
    rmSync(join(bin, loader));
    expect(await install(script, { PATH: bin }, ['/bin/sh'])).toEqual({
      code: 1,
      output: expect.stringContaining('install.sh: Needs curl or wget.\n'),
    });
    isInstalled();
  };
  it('needs no program but a shell, Node.js, curl and those of POSIX', () => runsWith('curl'));
  itWith('wget')('takes wget in place of curl', () => runsWith('wget'));

  it('upgrades in another folder with spaces, whose package.json says that files are modules', async () => {
    writeFileSync(join(home, 'package.json'), '{"type": "module"}');
    const PREFIX = join(home, "Ada's tools");
    expect(await install(script, { PREFIX })).toMatchObject({ code: 0 });
    const file = join(PREFIX, 'lib/external-api/xapi.cjs');
    const current = readFileSync(file);
    writeFileSync(file, 'an older version');
    expect(await install(script, { PREFIX })).toMatchObject({ code: 0 });
    expect(readFileSync(file).equals(current)).toBe(true);
    isInstalled("Ada's tools");
    expect(realpathSync(join(PREFIX, 'bin/xapi'))).toBe(realpathSync(file));
    expect(run(join(PREFIX, 'bin/xapi'), '--version').status).toBe(0);
  });

  it('leaves a command alone that something else has installed', async () => {
    mkdirSync(join(home, '.local/bin'), { recursive: true });
    writeFileSync(join(home, '.local/bin/xapi'), 'mine');
    const { code, output } = await install(script);
    expect([code, output]).toEqual([1, expect.stringMatching(/xapi exists, and this script has not installed it/)]);
    expect(list('.local')).toEqual(['bin', 'bin/xapi']);
  });

  it('says that Node.js is missing', async () => {
    const { code, output } = await install(script, { PATH: join(home, 'none') }, ['/bin/sh']);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^install.sh: Needs Node\.js 20\.19\+, .* PATH has no node/),
    ]);
    expect(list()).toEqual([]);
  });

  it.each(['16.20.2', '20.18.3', '21.7.3', '22.12.0'])('says that Node.js %s is too old', async (version) => {
    const file = join(home, 'old.cjs');
    const fake = { node: version };
    writeFileSync(
      file,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(fake)} } });`,
    );
    const { code, output } = await install(script, { NODE_OPTIONS: `--require ${file}` });
    expect([code, output]).toEqual([1, expect.stringMatching(/^install\.sh: Needs Node\.js .*24\.11\+\. \S+ is v\d+/)]);
    expect(list()).toEqual(['old.cjs']);
  });

  it('accepts later versions of Node.js', async () => {
    const file = join(home, 'new.cjs');
    writeFileSync(
      file,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '26.0.0' } });`,
    );
    expect(await install(script, { NODE_OPTIONS: `--require ${file}` })).toMatchObject({ code: 0 });
  });

  it.each([
    ['a web page', 200, '<!doctype html><title>Sign in</title>', /device\.tgz is a web page\. A proxy or a login page/],
    ['another file', 200, 'other bytes', /device\.tgz has the SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}\. If/],
    ['an error', 429, '{}', /device\.tgz could not be downloaded\./],
  ])('installs nothing if the host answers with %s', async (_, status, body, reason) => {
    const text = await serve((_request, response) => response.writeHead(status).end(body));
    const { code, output } = await install(text);
    expect([code, output]).toEqual([1, expect.stringMatching(reason)]);
    expect(list('.local')).toEqual(['bin', 'lib', 'lib/external-api']);
  });

  it.each(['dash', 'bash'])('does nothing in %s if a portal answers with a page in its place', async (shell) => {
    const page = '<!doctype html>\n<html><body>\n<p>Sign in &amp; enjoy</p>\n</body></html>\n';
    await serve((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page));
    const { port } = servers.at(-1)!.address() as AddressInfo;
    const HOST = `http://127.0.0.1:${port}`;
    const { code, output } = await install(`curl -fsS "$HOST/install.sh" | ${shell}`, { HOST });
    expect(code).not.toBe(0);
    expect(output).toMatch(/syntax error/i);
    expect(list()).toEqual([]);
  });

  it('keeps both older commands if only one package can be loaded', async () => {
    await install(script);
    const files = ['xapi.cjs', 'xapi-device.cjs'].map((name) => join(home, '.local/lib/external-api', name));
    for (const file of files) writeFileSync(file, 'older');
    const { tarballs } = new PackageStore().getPackages();
    const text = await serve((request, response) => {
      if (request.url === '/packages/device.tgz') response.end(tarballs.get('device.tgz'));
      else response.writeHead(404).end();
    });
    expect(await install(text)).toMatchObject({ code: 1 });
    for (const file of files) expect(readFileSync(file, 'utf8')).toBe('older');
    isInstalled();
  });

  it('leaves nothing half-way if it is stopped', async () => {
    let isAsked = false;
    const text = await serve(() => (isAsked = true));
    const { child, exited } = start(text);
    await waitFor(() => expect(isAsked).toBe(true));
    process.kill(-child.pid!, 'SIGTERM');
    expect((await exited).code).not.toBe(0);
    expect(list('.local')).toEqual(['bin', 'lib', 'lib/external-api']);
  });

  it('explains a folder that it can’t write to', async () => {
    const isRoot = process.getuid?.() === 0;
    const uid = isRoot ? 65_534 : undefined;
    mkdirSync(join(home, '.local/bin'), { recursive: true });
    if (!isRoot) chmodSync(join(home, '.local'), 0o555);
    for (const PREFIX of [undefined, '/proc/none']) {
      const { code, output } = await install(script, PREFIX ? { PREFIX } : {}, ['sh'], uid);
      expect([code, output]).toEqual([1, expect.stringMatching(/^install\.sh: Choose another folder with PREFIX: /)]);
    }
    if (!isRoot) chmodSync(join(home, '.local'), 0o755);
    expect(list('.local')).toEqual(['bin']);
  });

  it.each([
    [{ PREFIX: 'relative' }, /PREFIX must be an absolute path, not relative\./],
    [{ HOME: '' }, /HOME is not set\. Set PREFIX/],
  ])('refuses %j', async (env, reason) => {
    expect(await install(script, env)).toEqual({ code: 1, output: expect.stringMatching(reason) });
  });

  it('does nothing if only a part of it arrives', () => {
    const lines = script.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('main "$@"');
    const beginnings = lines.map((_, index) => lines.slice(0, index).join('\n')).filter((_, index) => index % 4 === 0);
    for (const part of ['m', 'ma', 'mai']) beginnings.push([...lines.slice(0, -1), part].join('\n'));
    for (const input of beginnings)
      spawnSync('dash', { cwd: home, env: { HOME: home, PATH: nodePath() }, input, timeout: 5_000 });
    expect(list()).toEqual([]);
  }, 60_000);

  it('takes the configured URL literally, and no header of the request', async () => {
    const hostile = `http://a'$(touch\${IFS}taken)\`touch\${IFS}taken\`;"&b`;
    const [definitions] = renderInstallScript(hostile, new PackageStore().getPackages().descriptions).split(
      '\nmain "$@"',
    );
    const { output } = await install(`${definitions}\nprintf %s "$host"`);
    expect(output).toBe(hostile);
    expect(list()).toEqual([]);
    const answer = await new Promise<string>((resolve) => {
      const child = spawn('curl', ['-fsS', '-H', 'Host: evil.example', `${service.url}/install.sh`]);
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => (text += String(chunk)));
      child.on('close', () => resolve(text));
    });
    expect(answer).toBe(script);
  });

  itWith('shellcheck')('passes shellcheck', () => {
    const { stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], { input: script, encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});
