import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempFolder } from '../support/temp-folder';
import { readDockerfile } from './deployment/dockerfile';

const ROOT = join(__dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

describe('npm scripts', () => {
  let folder: string;
  /** A project with the real scripts and a service that prints two variables. */
  beforeEach(() => {
    folder = createTempFolder();
    const launcher = ['src/programs/launcher', 'src/common/source-maps.ts'];
    for (const name of ['tools', 'package.json', 'package-lock.json', ...launcher]) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFile('src/main.ts', 'console.log(process.env.FROM_FILE, process.env.FROM_BOTH);');
  });

  function writeFile(path: string, text: string): void {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function runScript(name: string, env: NodeJS.ProcessEnv = {}) {
    const { PATH } = process.env;
    return spawnSync('sh', ['-c', manifest.scripts[name]!], { cwd: folder, encoding: 'utf8', env: { PATH, ...env } });
  }

  describe('npm start', () => {
    it('builds only after a change, and reports it', () => {
      expect(runScript('start')).toMatchObject({ status: 0, stderr: 'Building ...\n' });
      expect(runScript('start')).toMatchObject({ status: 0, stderr: '' });
      writeFile('src/main.ts', 'console.log("changed");');
      expect(runScript('start')).toMatchObject({ stdout: 'changed\n', stderr: 'Building ...\n' });
    });

    it('takes settings from .env that the environment does not contain', () => {
      expect(runScript('start').stdout).toBe('undefined undefined\n');
      writeFile('.env', '# settings\nFROM_FILE=file\nFROM_BOTH=file\n');
      expect(runScript('start', { FROM_BOTH: 'environment' }).stdout).toBe('file environment\n');
      rmSync(join(folder, '.env'));
      mkdirSync(join(folder, '.env'));
      const { status, stderr } = runScript('start');
      expect(status).toBe(1);
      expect(stderr).toMatch(/^The file \.env can't be read: .*\n$/);
    });
  });

  it.each(['start', 'start:prod', 'quickstart'])('sets the C library’s threshold for %s as the image does', (name) => {
    const source = 'console.log(process.env.MALLOC_TRIM_THRESHOLD_);';
    writeFile('src/main.ts', source);
    writeFile('clients/quickstart/src/main.ts', source);
    expect(runScript('build').status).toBe(0);
    expect(runScript(name).stdout).toBe(`${readDockerfile().at(-1)!.env.MALLOC_TRIM_THRESHOLD_}\n`);
  });

  it('gives .env to the operator’s program, and not to the device or the quickstart', () => {
    writeFile('.env', 'FROM_FILE=file\n');
    for (const [name, source] of [
      ['admin', 'src/programs/admin'],
      ['device', 'clients/device/src'],
      ['quickstart', 'clients/quickstart/src'],
    ] as const) {
      writeFile(`${source}/main.ts`, 'console.log(process.env.FROM_FILE);');
      expect([name, runScript(name).stdout]).toEqual([name, name === 'admin' ? 'file\n' : 'undefined\n']);
    }
  });

  it.each(['#', '?', '%'])('end with one sentence in a folder with %s in its path', (character) => {
    const moved = join(createTempFolder(), `a${character}b`);
    renameSync(folder, moved);
    folder = moved;
    for (const name of ['start', 'quickstart', 'device', 'admin']) {
      const { status, stdout, stderr } = runScript(name);
      expect([name, status, stdout]).toEqual([name, 1, '']);
      expect(stderr).toMatch(/^The embedded database can't be loaded from a path with #, \? or %\. Move .*\n$/);
    }
  });

  describe('on a version of Node.js that is not supported', () => {
    /** Pretends to be a version before anything else is loaded. */
    function pretendVersion(version: string): NodeJS.ProcessEnv {
      const file = join(folder, `node-${version}.cjs`);
      writeFileSync(
        file,
        `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
      );
      return { NODE_OPTIONS: `--require ${file}` };
    }

    it.each([
      'build',
      'check',
      'start',
      'start:dev',
      'start:prod',
      'quickstart',
      'device',
      'admin',
      'test',
      'test:full',
    ])('%s ends with one sentence', (name) => {
      expect(runScript(name, pretendVersion('18.20.8'))).toMatchObject({
        status: 1,
        stdout: '',
        stderr: 'Needs Node.js 20.19+, 22.13+ or 24.11+. This is 18.20.8. With nvm, run `nvm install`.\n',
      });
    });

    it('xapi of a checkout ends with one sentence', () => {
      const env = { ...process.env, ...pretendVersion('18.20.8') };
      const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'clients', 'typescript', 'bin', 'xapi.js')], {
        env,
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([1, expect.stringMatching(/^Needs Node\.js .*\n$/)]);
    });

    it.each(['12.22.12', '20.18.3', '21.7.3', '22.12.0', '23.11.1', '24.10.0'])('rejects %s', (version) => {
      expect(runScript('start', pretendVersion(version)).status).toBe(1);
    });

    it.each(['20.19.0', '20.20.2', '22.13.0', '22.22.1', '24.11.0', '24.12.1', '25.0.0'])('accepts %s', (version) => {
      expect(runScript('start', pretendVersion(version)).status).toBe(0);
    });
  });
});
