import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { getClientFolder } from '../support/clients/client-package';

const ROOT = join(__dirname, '..', '..');
/** Two fifths are undici, which the command needs behind a proxy only. */
const MAX_TARBALL_BYTES = 320 * 1_024;

describe('the packed client', () => {
  const tarball = process.env.TEST_CLIENT_TARBALL!;
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));

  it('contains the modules, the types, the command and the documents, and nothing else', () => {
    const others = files.filter((name) => !/^dist\/(.+\.d\.ts|chunks\/.+\.js)$/.test(name));
    expect(others.sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE.md',
      'README.md',
      'bin/xapi.js',
      'dist/LICENSES.txt',
      'dist/index.js',
      'dist/xapi.cjs',
      'package.json',
    ]);
    expect(files).toContain('dist/index.d.ts');
    expect(files.filter((name) => /\.spec\.|^dist\/cli\//.test(name))).toEqual([]);
    const { size } = statSync(tarball);
    expect(size).toBeLessThan(MAX_TARBALL_BYTES);
  });

  it('names the licence of the package that it contains', () => {
    const file = join(getClientFolder(), 'node_modules/@external-api/client/dist/LICENSES.txt');
    expect(readFileSync(file, 'utf8')).toMatch(/^jose \d+\.\d+\.\d+ \(MIT\)$[^]+Permission is hereby granted/m);
  });

  it('loads the decryption of content only on use', async () => {
    const bundle = await build({
      stdin: { contents: `export * from '@external-api/client';`, resolveDir: getClientFolder() },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      splitting: true,
      outdir: 'unwritten',
      write: false,
      metafile: true,
    });
    const [entry] = Object.values(bundle.metafile.outputs).filter(({ entryPoint }) => entryPoint);
    expect(entry!.imports.filter(({ kind }) => kind === 'dynamic-import')).toHaveLength(1);
    expect(entry!.bytes).toBeLessThan(70_000);
  });

  it('bundles for browsers without modules of Node.js', async () => {
    const { warnings, errors } = await build({
      stdin: { contents: `export * from '@external-api/client';`, resolveDir: getClientFolder() },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
    });
    expect([warnings, errors]).toEqual([[], []]);
  });

  it.each([
    ['module', 'nodenext', `import { ExternalApiClient } from '@external-api/client';`],
    ['commonjs', 'nodenext', `const load = async () => (await import('@external-api/client')).ExternalApiClient;`],
    ['module', 'bundler', `import { ExternalApiClient } from '@external-api/client';`],
  ])('has types for a TypeScript project of type %s with %s resolution', (type, resolution, load) => {
    const folder = join(getClientFolder(), `types-${type}-${resolution}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
    const create = type === 'module' ? 'ExternalApiClient' : '(await load())';
    const use = (member: string) => `export async function read() {
      const client = new ${create}({ baseUrl: 'https://host', token: 't' });
      for await (const session of client.sessions.list({ state: 'active' })) return session.${member};
      return undefined;
    }`;
    const check = (member: string) => {
      writeFileSync(join(folder, 'user.ts'), `${load}\n${use(member)}`);
      const flags = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.asynciterable'];
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      const args = [...flags, '--types', '', '--module', module, '--moduleResolution', resolution, 'user.ts'];
      const compiler = join(ROOT, 'node_modules', 'typescript-native', 'bin', 'tsc');
      return spawnSync(process.execPath, [compiler, '--ignoreConfig', ...args], { cwd: folder, encoding: 'utf8' });
    };
    expect(check('activity').stdout).toBe('');
    expect(check('mood').stdout).toContain(`Property 'mood' does not exist`);
    rmSync(folder, { recursive: true });
  });
});
