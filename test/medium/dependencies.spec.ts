import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const WORKSPACES = ['clients', 'packages'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => join(folder, name, 'package.json')),
);
const COPIED_PATHS = [
  'package.json',
  'package-lock.json',
  'docs/dependencies.md',
  'tools',
  ...WORKSPACES.filter((path) => existsSync(join(ROOT, path))),
];

/** Runs the real scripts on a copy of the real files with one change. */
describe('the dependencies', () => {
  let copy: string;
  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'external-api-dependencies-'));
    for (const part of COPIED_PATHS) cpSync(join(ROOT, part), join(copy, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  const run = (script: string, ...args: string[]) =>
    spawnSync(process.execPath, [join(copy, 'tools', script), ...args], { cwd: copy, encoding: 'utf8' });
  const change = (file: string, edit: (text: string) => string) => {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    const changed = edit(text);
    expect(changed).not.toBe(text);
    writeFileSync(path, changed);
  };
  const changeJson = (file: string, edit: (value: any) => void) =>
    change(file, (text) => {
      const value = JSON.parse(text);
      edit(value);
      return JSON.stringify(value);
    });
  const violations = () => {
    const { status, stderr } = run('check-dependencies.mjs');
    expect(status).toBe(stderr === '' ? 0 : 1);
    return stderr.split('\n').slice(0, -1);
  };

  it('pass unchanged', () => {
    expect(violations()).toEqual([]);
  });

  it('fail if a package of the repository has another version', () => {
    changeJson('packages/protocol/package.json', ({ dependencies }) => (dependencies.jose = '6.0.0'));
    expect(violations()).toEqual([
      expect.stringMatching(/^packages\/protocol\/package\.json: jose is 6\.0\.0, but [\d.]+ in package\.json$/),
    ]);
  });

  it('fail without a row and with a row without a reason', () => {
    change('docs/dependencies.md', (text) => text.replace(/^\| `helmet`.*\n/m, ''));
    change('docs/dependencies.md', (text) => text.replace(/^(\| `cors`\s*)\|.*$/m, '$1|  |'));
    expect(violations()).toEqual([
      'docs/dependencies.md: "## In the service" has no row for cors',
      'docs/dependencies.md: "## In the service" has no row for helmet',
    ]);
  });

  it('fail with an unused row and with a row in the wrong section', () => {
    changeJson('package.json', ({ dependencies, devDependencies }) => {
      delete dependencies.helmet;
      devDependencies.cors = dependencies.cors;
      delete dependencies.cors;
    });
    expect(violations()).toEqual([
      'docs/dependencies.md: "## In the service" has an unused row for cors',
      'docs/dependencies.md: "## In the service" has an unused row for helmet',
      'docs/dependencies.md: "## In development" has no row for cors',
    ]);
  });

  it.each(['^8.3.0', '~8.3.0', '8.x', 'latest', 'github:helmetjs/helmet'])('fail with the version %s', (version) => {
    changeJson('package.json', ({ dependencies }) => (dependencies.helmet = version));
    expect(violations()).toEqual([`package.json: helmet is "${version}", which is not an exact version`]);
  });

  it('fail with an override that is a range', () => {
    changeJson('package.json', ({ overrides }) => (overrides.typeorm.debug = '^4.0.0'));
    expect(violations()).toEqual(['package.json: debug is "^4.0.0", which is not an exact version']);
  });

  it.each([
    ['helmet', 'GPL-3.0-only', 'GPL-3.0-only is not allowed'],
    ['helmet', '(MIT AND GPL-3.0-only)', '(MIT AND GPL-3.0-only) is not allowed'],
    ['helmet', 'MPL-2.0', 'MPL-2.0 is not allowed'],
    ['helmet', undefined, 'an unknown licence is not allowed'],
    ['jest', 'GPL-3.0-only', 'GPL-3.0-only is not allowed'],
  ])('fail when %s has the licence %s', (name, license, violation) => {
    changeJson('package-lock.json', ({ packages }) => (packages[`node_modules/${name}`].license = license));
    expect(violations()).toEqual([expect.stringMatching(new RegExp(`^${name} [\\d.]+: `))]);
    expect(violations()[0]!.endsWith(violation)).toBe(true);
  });

  it('pass with one allowed licence of several, and development tools with more licences', () => {
    changeJson('package-lock.json', ({ packages }) => {
      packages['node_modules/helmet'].license = '(GPL-3.0-only OR MIT)';
      packages['node_modules/jest'].license = 'MPL-2.0';
    });
    expect(violations()).toEqual([]);
  });

  it('fail if one has no checksum', () => {
    changeJson('package-lock.json', ({ packages }) => delete packages['node_modules/helmet'].integrity);
    expect(violations()).toEqual([expect.stringMatching(/^helmet .*no checksum/)]);
  });

  it('fail if one requires a newer Node than the project', () => {
    changeJson('package-lock.json', ({ packages }) => (packages['node_modules/helmet'].engines = { node: '>=22' }));
    expect(violations()).toEqual([
      expect.stringMatching(/^helmet [\d.]+: requires Node >=22, less than engines in package\.json$/),
    ]);
  });

  it('are all in the bill of materials, with checksum and licence', () => {
    expect(run('sbom.mjs', 'out').status).toBe(0);
    const bom = JSON.parse(readFileSync(join(copy, 'out', 'sbom.cdx.json'), 'utf8'));
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(bom.metadata.component).toMatchObject({ name: 'external-api-service', type: 'application' });
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const locked = Object.entries<any>(packages)
      // The others are the project itself and its workspaces.
      .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
      .map(([path, { name, version, integrity }]) => {
        const own = name ?? path.replace(/^.*node_modules\//, '');
        const [, hash] = integrity.split('sha512-');
        return `${own}@${version} ${Buffer.from(hash, 'base64').toString('hex')}`;
      });
    // A package installed under another name is listed under the name in its URL.
    const listed = bom.components.map(
      ({ purl, hashes }: any) => `${decodeURIComponent(purl.replace('pkg:npm/', ''))} ${hashes[0].content}`,
    );
    expect([...new Set(listed)].sort()).toEqual([...new Set(locked)].sort());
    for (const { licenses } of bom.components) expect(licenses).toHaveLength(1);
  });

  it('are all in the list of licences', () => {
    expect(run('sbom.mjs', 'out').status).toBe(0);
    const list = readFileSync(join(copy, 'out', 'licences.md'), 'utf8');
    expect(list).toMatch(/^## MIT$/m);
    expect(list).toContain('\n- busboy 1.6.0\n');
    expect(list).toContain('\n- axe-core 4.14.1 (development)\n');
    expect(list).not.toMatch(/^## (null|undefined)$/m);
  });
});
