import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import { ApprovalFixture } from '../../support/approval-fixture';
import { DeviceProgram } from '../../support/device-program';
import { ForwardProxy } from '../../support/forward-proxy';
import type { MachineProcess } from '../../support/machine-process';
import { parseSystemdUnit } from '../../support/systemd-words';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;
const SECRET = 'the-key-of-the-agent';

describe('the service of a machine', () => {
  const home = join(createTempFolder(), 'Jörg 100% $HOME "x"');
  const bin = join(home, 'bin');
  const calls = join(home, 'calls');
  const keyFile = join(home, '.config', 'external-api-device', 'machine.json');
  const unit = join(home, '.config', 'systemd', 'user', 'xapi-device.service');
  const environmentFile = `${keyFile}.environment`;
  let fixture: ApprovalFixture;
  let proxy: ForwardProxy;
  let machine: MachineProcess;
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    mkdirSync(bin, { recursive: true });
    const [, agent = ''] = createTestAgentCommand().command;
    writeProgram('odd-acp', `[ "$ODD_KEY" = ${SECRET} ] && exec node '${agent}'`);
    fixture = await ApprovalFixture.start();
    proxy = await ForwardProxy.start({ credentials: 'ada:of-the-proxy' });
    machine = await fixture.startMachineWith({ keyFile });
    await machine.stop();
  });
  afterEach(() => child?.kill('SIGKILL'));
  afterAll(async () => {
    await fixture?.stop();
    await proxy?.stop();
  });

  function writeProgram(name: string, script: string): void {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }

  /** Stands in for a manager, which this computer may not have: writes down what it is asked. */
  function addManager(pid = 0): void {
    const shown = `ActiveState=active\\nSubState=running\\nMainPID=${pid}\\nResult=success\\nExecMainStatus=0\\n`;
    writeProgram(
      'systemctl',
      `echo "$@" >> "${calls.replaceAll(/["$]/g, '\\$&')}"; case "$*" in
      --version) echo 'systemd 255 (255.4)';; *show*) printf '${shown}';; esac`,
    );
    writeProgram('journalctl', "printf 'one\\ntwo\\033[31m\\n'");
    writeProgram('loginctl', 'echo no');
  }

  const environment = () => ({ HOME: home, PATH: `${bin}:${process.env.PATH}`, ODD_KEY: SECRET });
  const run = (...args: string[]) => DeviceProgram.start(args, undefined, environment()).ended;
  const install = (...args: string[]) => {
    const agent = ['--agent', 'odd=odd-acp', '--agent-env', 'odd=ODD_KEY'];
    const command = ['service', 'install', '--url', fixture.service.url, ...args, ...agent];
    return DeviceProgram.start(command, undefined, { ...environment(), HTTP_PROXY: proxy.url }).ended;
  };
  const readUnit = () => parseSystemdUnit(readFileSync(unit, 'utf8'));

  it('is written, with what to run, where no manager answers', async () => {
    // Without this folder, systemctl can't find a manager that this computer may have.
    const { status, out, err } = await install('--cwd', home, '--');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(`error: Wrote ${unit}, but the service is not started`);
    expect(err).toContain(`systemctl --user daemon-reload && systemctl --user enable --now '${unit}'`);
    expect(err).not.toContain(SECRET);
  });

  it('has absolute paths, and no secret', () => {
    const { command, environment: variables } = readUnit();
    expect(realpathSync(command[0]!)).toBe(realpathSync(process.execPath));
    expect(command).toEqual(expect.arrayContaining(['machine', `--key-file=${keyFile}`, `--cwd=${home}`]));
    expect(command.find((arg) => arg.startsWith('--agent='))).toContain(join(bin, 'odd-acp'));
    expect(variables.PATH).toContain(bin);
    for (const secret of [SECRET, 'of-the-proxy']) expect(readFileSync(unit, 'utf8')).not.toContain(secret);
    expect(statSync(environmentFile).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(environmentFile, 'utf8'))).toEqual({ ODD_KEY: SECRET, HTTP_PROXY: proxy.url });
  });

  it('runs the machine with its agent and proxy, as a manager starts it, and not beside a running one', async () => {
    const { command, environment: variables } = readUnit();
    child = spawn(command[0]!, command.slice(1), { cwd: '/', env: { HOME: home, ...variables } });
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await waitFor(() => expect(output).toContain('Serving'), WITHIN_MS);
    expect(proxy.requests).toContain(`CONNECT ${new URL(fixture.service.url).host}`);
    await fixture.startSession(machine);
    expect(await install()).toMatchObject({
      status: 2,
      err: expect.stringContaining(`The machine runs already, as process ${child.pid}.`),
    });
    expect(await run('service', 'uninstall')).toMatchObject({
      status: 1,
      err: expect.stringContaining("its service can't be stopped from here"),
    });
    expect([unit, environmentFile].map((file) => existsSync(file))).toEqual([true, true]);
    // Installing it again while its manager runs it is a restart.
    addManager(child.pid);
    expect(await install()).toMatchObject({ status: 0, err: '' });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('keeps no secret of an agent that it runs no longer', async () => {
    addManager();
    const installed = await run('service', 'install', '--url', fixture.service.url, '--agent', 'odd=odd-acp');
    expect(installed).toMatchObject({ status: 0, err: '' });
    expect([unit, environmentFile].map((file) => existsSync(file))).toEqual([true, false]);
    expect(readUnit().command.join()).not.toContain('--environment-file');
  });

  it('is started by the manager, which is asked for its state', async () => {
    addManager(4711);
    writeFileSync(calls, '');
    const installed = await install('--', '--name', 'build box', '--no-grants');
    expect(installed).toMatchObject({ status: 0, err: '' });
    expect(installed.out).toContain(`Installed and started: ${unit}\n`);
    expect(installed.out).toContain('loginctl enable-linger');
    const asked = ['--version', '--user daemon-reload'];
    const started = [`--user enable ${unit}`, '--user restart xapi-device.service'];
    expect(readFileSync(calls, 'utf8').trim().split('\n')).toEqual([...asked, ...started]);
    expect(readUnit().command).toEqual(expect.arrayContaining(['--name=build box', '--no-grants']));
    expect(readUnit().settings).toMatchObject({ RestartMaxDelaySec: '300' });
    const { out } = await run('service', 'status');
    expect(out).toMatch(/^Running +yes, process 4711\nState +active \(running\)\n\none\ntwo/m);
    expect(out).not.toContain('\u001b');
    const json = JSON.parse((await run('service', 'status', '--json')).out);
    expect(json).toMatchObject({ installed: true, running: true, pid: 4711, file: unit });
  });

  it('is removed without the keys', async () => {
    expect(await run('service', 'uninstall')).toMatchObject({ status: 0, out: expect.stringContaining('removed') });
    expect([unit, environmentFile, keyFile].map((file) => existsSync(file))).toEqual([false, false, true]);
    expect(readFileSync(calls, 'utf8')).toContain('--user disable --now xapi-device.service');
    expect((await run('service', 'uninstall')).out).toContain('There was no service.');
  });

  it('needs a machine that is linked, and agents that are there', async () => {
    const other = join(dirname(keyFile), 'other.json');
    const unlinked = await DeviceProgram.start(['service', 'install'], other, environment()).ended;
    expect(unlinked).toMatchObject({ status: 1, err: expect.stringContaining(`link --key-file`) });
    expect(await install('--agent', 'none-acp')).toMatchObject({
      status: 1,
      err: expect.stringContaining('The program "none-acp" was not found.'),
    });
    expect(await install('--account', 'mallory')).toMatchObject({
      status: 1,
      err: expect.stringContaining(`was paired with "${fixture.ada.username}", not with "mallory"`),
    });
    expect(await run('service', 'install', '--cwt', 'x')).toMatchObject({ status: 2 });
    expect(existsSync(unit)).toBe(false);
  });
});
