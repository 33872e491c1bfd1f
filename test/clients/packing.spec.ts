import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NODE_BINARIES, packClient } from '../support/clients/client-package';

const ROOT = join(__dirname, '..', '..');
const COPIED = ['.npmrc', 'clients', 'package-lock.json', 'package.json', 'tools'];

/** Each package with its command, and what the command prints without a service. */
const PACKAGES = [
  ['typescript', 'xapi', ['--version'], /^xapi \d+\.\d+\.\d+\n$/],
  ['device', 'xapi-device', ['--help'], /^Usage: xapi-device <command> \[options\]\n/],
  ['mcp', 'external-api-mcp', [], /^Set XAPI_HOST to the URL of the service/],
] as const;

describe.each(PACKAGES)('`npm pack` without options in clients/%s', (name, command, args, output) => {
  let folder: string;
  let tarball: string;
  let manifest: Record<string, any>;
  let files: string[];
  /** A checkout in which nothing is built. Its .npmrc lets no package run scripts. */
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'client-checkout-'));
    const isSource = (path: string) => !/[/\\](dist|node_modules)$/.test(path);
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter: isSource });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    expect(readFileSync(join(folder, '.npmrc'), 'utf8')).toContain('ignore-scripts=true');
    tarball = packClient(name, folder);
    const read = (...options: string[]) => execFileSync('tar', [...options, tarball], { encoding: 'utf8' });
    files = read('-tzf').trim().split('\n');
    manifest = JSON.parse(execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }));
  }, 60_000);
  afterAll(() => {
    for (const path of [folder, tarball && dirname(tarball)]) if (path) rmSync(path, { recursive: true, force: true });
  });

  it('packs every file that the manifest names', () => {
    const named = JSON.stringify([manifest.bin, manifest.exports, { types: manifest.types }]);
    const paths = [...named.matchAll(/:"([^"]+)"/g)].map(([, path]) => join('package', path!));
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !files.includes(path))).toEqual([]);
    for (const document of ['README.md', 'CHANGELOG.md']) expect(files).toContain(`package/${document}`);
  });

  it('packs a manifest that can be published and needs no other package', () => {
    expect(manifest).toMatchObject({
      description: expect.any(String),
      keywords: expect.arrayContaining(['external-api']),
      homepage: expect.stringMatching(/^https:/),
      repository: { type: 'git', url: expect.any(String), directory: `clients/${name}` },
      license: expect.any(String),
      engines: { node: expect.any(String) },
    });
    for (const field of ['private', 'dependencies', 'optionalDependencies', 'peerDependencies'])
      expect(manifest).not.toHaveProperty(field);
  });

  it('packs the same bytes again', () => {
    const again = packClient(name, folder);
    try {
      expect(readFileSync(again).equals(readFileSync(tarball))).toBe(true);
    } finally {
      rmSync(dirname(again), { recursive: true });
    }
  }, 60_000);

  it('packs a command that npm installs globally without a registry', () => {
    const home = mkdtempSync(join(tmpdir(), 'client-global-'));
    try {
      const env = { PATH: process.env.PATH, HOME: home };
      const options = ['--offline', '--no-audit', '--no-fund', `--prefix=${home}`];
      execFileSync('npm', ['install', '--global', ...options, tarball], { cwd: home, env, stdio: 'pipe' });
      for (const node of NODE_BINARIES) {
        const PATH = `${dirname(node)}:/usr/bin:/bin`;
        const { stdout, stderr } = spawnSync(join(home, 'bin', command), args, {
          cwd: home,
          env: { PATH, HOME: home },
          encoding: 'utf8',
        });
        expect(stdout + stderr).toMatch(output);
      }
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }, 60_000);
});
