import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildTestAgent, createTestAgentCommand } from '../../clients/device/src/agent/testing/test-agents';
import { installClient, NODE_BINARIES, packClient } from '../support/clients/client-package';
import { expectStatus, ForeignAccountDevice } from '../support/device/foreign-device';
import { MachineProcess } from '../support/machine-process';
import { Service } from '../support/service';
import { createTempFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';

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

  it('goes on with its turn while an upgrade replaces its file, and continues with the new one', async () => {
    await buildTestAgent();
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { token } = await ada.createToken(['sessions:read', 'sessions:write', 'machines:invoke']);
    const cwd = createTempFolder();
    const agent = `test=${createTestAgentCommand().command.join(' ')}`;
    const args = ['--agent', agent, '--cwd', cwd];
    const options = { main: packageFile('xapi-device.mjs'), keyFile: join(createTempFolder(), 'keys'), args };
    const program = packageFile('dist/main.cjs');
    /** As the package manager and the installation script do it. */
    const replaceProgram = (contents: string) => {
      writeFileSync(`${program}.new`, contents);
      renameSync(`${program}.new`, program);
    };
    const present = readFileSync(program, 'utf8');
    let machine = await MachineProcess.start(service.url, ada, options);
    const post = async (path: string, body: object) =>
      expectStatus(await service.http.post(`/external/v1${path}`, token, body), 200).result;
    const waitForState = (sessionId: string, turnId: string, state: string) =>
      waitFor(async () => {
        const { body } = await service.http.get(`/external/v1/sessions/${sessionId}/turns/${turnId}`, token);
        expect(body.data).toMatchObject({ state });
        return body.data;
      }, 30_000);

    const content = 'say Begun.\nwait-for upgraded\nsay Done.';
    const { sessionId, turn } = await post(`/machines/${machine.id}/sessions`, { content, waitMs: 0 });
    await waitForState(sessionId, turn.id, 'running');
    replaceProgram('throw new Error("Only a later start may run this.");');
    writeFileSync(join(cwd, 'upgraded'), '');
    await waitForState(sessionId, turn.id, 'completed');

    const path = `/sessions/${sessionId}/messages`;
    const interrupted = (await post(path, { content: 'silent', waitMs: 0 })).turn;
    const waiting = (await post(path, { content: 'say Next.', waitMs: 0 })).turn;
    await waitForState(sessionId, interrupted.id, 'running');
    replaceProgram(present);
    await machine.stop();
    machine = await MachineProcess.start(service.url, ada, options);
    expect(await waitForState(sessionId, interrupted.id, 'failed')).toMatchObject({ errorCode: 'agent_lost' });
    await waitForState(sessionId, waiting.id, 'completed');
    await machine.stop();
  });
});
