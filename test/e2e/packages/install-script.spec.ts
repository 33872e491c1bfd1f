import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderInstallScript } from '../../../src/web/packages/install-script.controller';
import { PackageStore } from '../../../src/web/packages/package-store';
import { NODE_BINARIES } from '../../support/clients/client-package';
import { describeWith, itWith } from '../../support/dependencies';
import { ensurePackagesBuilt } from '../../support/ensure-service-built';
import { Service } from '../../support/service';
import { getNodePath, InstallHome } from '../../support/install-home';

/** All that the script may need, besides the shell and Node.js. */
const PROGRAMS = ['ln', 'mkdir', 'mktemp', 'mv', 'readlink', 'rm'];

describeWith('curl')('install.sh', () => {
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

  it.each(NODE_BINARIES)('installs both commands into an empty home, piped from curl, on %s', async (node) => {
    const env = { PATH: getNodePath(node), HOST: service.url };
    const { code, output } = await home.install('curl -fsS "$HOST/install.sh" | dash', env);
    expect([code, output]).toEqual([0, expect.stringMatching(/^Installed xapi-device \S+ and xapi \S+ in .*bin$/m)]);
    expect(output).toContain('export PATH="$HOME/.local/bin:$PATH"');
    expect(output).toContain(`xapi-device link --url ${service.url} `);
    expect(output).toContain(`xapi login --host ${service.url} `);
    home.expectInstalled();
    const bin = join(home.path, '.local', 'bin');
    expect(home.run(join(bin, 'xapi'), '--version', env)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^xapi \d/),
    });
    const help = home.run('xapi-device', '--help', { PATH: `${bin}:${getNodePath(node)}` });
    expect(help).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: xapi-device <command>/) });
  });

  const runsIn = async (...shell: string[]) => {
    const PATH = `${join(home.path, '.local/bin')}:${getNodePath()}`;
    const { code, output } = await home.install(script, { PATH }, shell);
    expect([code, output]).toEqual([0, expect.not.stringContaining('PATH')]);
    home.expectInstalled();
  };
  it.each(['dash', 'bash'])('runs in %s, and is quiet about PATH if the folder is in it', (shell) => runsIn(shell));
  itWith('busybox')('runs in the shell of BusyBox', () => runsIn('busybox', 'sh'));

  const runsWith = async (loader: string) => {
    const bin = join(home.path, 'programs');
    mkdirSync(bin);
    const find = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
    for (const name of [...PROGRAMS, loader]) symlinkSync(find(name), join(bin, name));
    symlinkSync(process.execPath, join(bin, 'node'));
    expect(await home.install(script, { PATH: bin }, ['/bin/sh'])).toMatchObject({ code: 0 });
    home.expectInstalled();
    rmSync(join(bin, loader));
    expect(await home.install(script, { PATH: bin }, ['/bin/sh'])).toEqual({
      code: 1,
      output: expect.stringContaining('install.sh: Needs curl or wget.\n'),
    });
    home.expectInstalled();
  };
  it('needs no program but a shell, Node.js, curl and those of POSIX', () => runsWith('curl'));
  itWith('wget')('takes wget in place of curl', () => runsWith('wget'));

  it('upgrades in another folder with spaces, whose package.json says that files are modules', async () => {
    writeFileSync(join(home.path, 'package.json'), '{"type": "module"}');
    const PREFIX = join(home.path, "Ada's tools");
    const { code, output } = await home.install(script, { PREFIX: `${PREFIX}/` });
    expect([code, output]).toEqual([0, expect.stringContaining(`  export PATH="${PREFIX}/bin:$PATH"\n`)]);
    const file = join(PREFIX, 'lib/external-api/xapi.cjs');
    // Other users may run it.
    expect(statSync(file).mode & 0o777).toBe(0o755);
    const current = readFileSync(file);
    writeFileSync(file, 'an older version');
    expect(await home.install(script, { PREFIX })).toMatchObject({ code: 0 });
    expect(readFileSync(file).equals(current)).toBe(true);
    home.expectInstalled("Ada's tools");
    expect(realpathSync(join(PREFIX, 'bin/xapi'))).toBe(realpathSync(file));
    expect(home.run(join(PREFIX, 'bin/xapi'), '--version').status).toBe(0);
  });

  it.each([
    ['xapi', 'a file', (path: string) => writeFileSync(path, 'mine')],
    ['xapi-device', 'a link to nothing', (path: string) => symlinkSync('/none/xapi-device', path)],
  ])('leaves %s alone, %s, that something else has installed', async (name, _, create) => {
    mkdirSync(join(home.path, '.local/bin'), { recursive: true });
    create(join(home.path, '.local/bin', name));
    const { code, output } = await home.install(script);
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(`/${name} exists, and this script has not installed it.`),
    ]);
    expect(home.listFiles('.local')).toEqual(['bin', `bin/${name}`]);
  });

  it('names another xapi that PATH has before it', async () => {
    const other = join(home.path, 'other');
    mkdirSync(other);
    symlinkSync(process.execPath, join(other, 'xapi'));
    const PATH = `${other}:${join(home.path, '.local/bin')}:${getNodePath()}`;
    const { code, output } = await home.install(script, { PATH });
    expect([code, output]).toEqual([0, expect.stringContaining(`PATH has another xapi before it: ${other}/xapi\n`)]);
  });

  it('does nothing if only a part of it arrives', () => {
    const lines = script.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('main "$@"');
    const beginnings = lines.map((_, index) => lines.slice(0, index).join('\n')).filter((_, index) => index % 4 === 0);
    for (const part of ['m', 'ma', 'mai']) beginnings.push([...lines.slice(0, -1), part].join('\n'));
    for (const input of beginnings)
      spawnSync('dash', { cwd: home.path, env: { HOME: home.path, PATH: getNodePath() }, input, timeout: 5_000 });
    expect(home.listFiles()).toEqual([]);
  }, 60_000);

  it('takes the configured URL literally, and no header of the request', async () => {
    const hostile = `http://a'$(touch\${IFS}taken)\`touch\${IFS}taken\`;"&b`;
    const [definitions] = renderInstallScript(hostile, new PackageStore().getPackages().descriptions).split(
      '\nmain "$@"',
    );
    const { output } = await home.install(`${definitions}\nprintf %s "$host"`);
    expect(output).toBe(hostile);
    expect(home.listFiles()).toEqual([]);
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
