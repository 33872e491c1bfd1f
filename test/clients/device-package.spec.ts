import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installClient, NODE_BINARIES, packClient } from '../support/clients/client-package';
import { Service } from '../support/service';

const run = promisify(execFile);

describe('the packed device', () => {
  let tarball: string;
  let folder: string;
  let service: Service;
  beforeAll(async () => {
    tarball = packClient('device');
    folder = installClient(tarball);
    service = await Service.start();
  }, 60_000);
  afterAll(async () => {
    await service?.stop();
    for (const path of [dirname(tarball), folder]) rmSync(path, { recursive: true, force: true });
  });

  const packageFile = (name: string) => join(folder, 'node_modules', '@external-api', 'device', name);
  const listFiles = (...path: string[]) => readdirSync(join(folder, ...path)).sort();

  it('is one file with its command, and needs no other package', () => {
    expect(listFiles('node_modules', '@external-api', 'device')).toEqual([
      'CHANGELOG.md',
      'README.md',
      'dist',
      'package.json',
      'xapi-device.mjs',
    ]);
    expect(listFiles('node_modules', '@external-api', 'device', 'dist')).toEqual(['LICENSES.txt', 'main.cjs']);
    expect(listFiles('node_modules').filter((name) => !name.startsWith('.'))).toEqual(['@external-api']);
    expect(readFileSync(packageFile('package.json'), 'utf8')).not.toContain('"dependencies"');
  });

  it.each(NODE_BINARIES.map((node, index) => [node, `ada-${index}`] as const))(
    'creates an account and reads it, without a checkout, on %s',
    async (node, username) => {
      const device = async (...args: string[]) => {
        const options = ['--url', service.url, '--key-file', join(folder, `${username}.json`)];
        const env = { PATH: process.env.PATH, HOME: folder };
        return (await run(node, [packageFile('xapi-device.mjs'), ...args, ...options], { cwd: folder, env })).stdout;
      };
      expect(await device('signup', '--username', username)).toContain(username);
      expect(await device('whoami')).toContain(username);
      expect(await device('devices')).toMatch(/dev_\w+/);
    },
  );
});
