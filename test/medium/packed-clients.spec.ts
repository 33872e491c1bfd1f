import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '../support/temp-folder';

const ROOT = join(__dirname, '..', '..');
const COPIED = ['.npmrc', 'clients', 'package-lock.json', 'package.json', 'packages', 'tools'];

/** `npm run build`, as far as it packs the clients, in a checkout in which nothing is built. */
describe('packed clients of a build', () => {
  let folder: string;
  beforeAll(() => {
    folder = createTempFolder();
    const isSource = (path: string) => !/[/\\](dist|node_modules)$/.test(path);
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter: isSource });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  });

  const build = () =>
    spawnSync(process.execPath, [join(ROOT, 'tools', 'build.mjs'), '--packages', folder], { encoding: 'utf8' });
  const pathOf = (name: string) => join(folder, 'dist', 'tarballs', name);
  const readIndex = () => JSON.parse(readFileSync(pathOf('index.json'), 'utf8')) as Record<string, { sha256: string }>;
  const readDigests = () =>
    Object.fromEntries(Object.entries(readIndex()).map(([name, { sha256 }]) => [name, sha256] as const));
  const readTimes = () => Object.keys(readIndex()).map((name) => statSync(pathOf(`${name}.tgz`)).mtimeMs);

  it('have the digests of their index', () => {
    expect(build()).toMatchObject({ status: 0, stderr: '' });
    const digests = readDigests();
    expect(Object.keys(digests)).toEqual(['device', 'client', 'mcp']);
    for (const [name, digest] of Object.entries(digests))
      expect(
        createHash('sha256')
          .update(readFileSync(pathOf(`${name}.tgz`)))
          .digest('hex'),
      ).toBe(digest);
  }, 60_000);

  it('are packed again only after a change of their sources', () => {
    const [digests, times] = [readDigests(), readTimes()];
    expect(build().status).toBe(0);
    expect(readTimes()).toEqual(times);
    appendFileSync(join(folder, 'clients', 'mcp', 'README.md'), '\nOne more line.\n');
    expect(build().status).toBe(0);
    expect(readTimes().slice(0, 2)).toEqual(times.slice(0, 2));
    expect(readDigests()).toEqual({ ...digests, mcp: expect.not.stringMatching(digests.mcp!) });
  }, 60_000);

  it.each([
    ['protocol', 'index.ts', ['device']],
    ['forward-proxy', 'programs.ts', ['device', 'client', 'mcp']],
  ])(
    'are packed again after a change of packages/%s, which they contain',
    (name, file, changed) => {
      const times = readTimes();
      appendFileSync(join(folder, 'packages', name, 'src', file), '\n// One more line.\n');
      expect(build().status).toBe(0);
      const packed = Object.keys(readIndex()).filter((_, index) => readTimes()[index] !== times[index]);
      expect(packed).toEqual(changed);
    },
    60_000,
  );

  it('are the same bytes after a build that was killed', () => {
    const digests = readDigests();
    for (const name of ['index.json', '.record.json', 'device.tgz']) rmSync(pathOf(name));
    expect(build().status).toBe(0);
    expect(readDigests()).toEqual(digests);
  }, 60_000);

  it('have no index if one can’t be built, and the build says why', () => {
    writeFileSync(join(folder, 'clients', 'mcp', 'src', 'main.ts'), 'export const = 1;');
    const { status, stderr } = build();
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^The packages can't be packed: [^]*main\.ts/)]);
    expect(existsSync(pathOf('index.json'))).toBe(false);
  }, 60_000);
});
