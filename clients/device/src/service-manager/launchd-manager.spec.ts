import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { LaunchdManager } from './launchd-manager';
import { ManagerUnavailableError } from './service-manager';

const { PATH } = process.env;
const home = mkdtempSync(join(tmpdir(), 'launchd-manager-'));
const agent = join(home, 'Library', 'LaunchAgents', 'xapi-device.plist');
const target = `gui/${userInfo().uid}`;
const DEFINITION = { command: ['/opt/node', 'machine'], environment: { PATH: '/usr/bin' } };

beforeAll(() => {
  process.env.PATH = `${home}:${PATH}`;
});
afterAll(() => {
  process.env.PATH = PATH;
  rmSync(home, { recursive: true });
});

/** Stands in for macOS's tool: writes down what it is asked. */
function writeLaunchctl(...lines: string[]): LaunchdManager {
  writeFileSync(join(home, 'launchctl'), `#!/bin/sh\necho "$@" >> '${home}/calls'\n${lines.join('\n')}\n`);
  chmodSync(join(home, 'launchctl'), 0o755);
  writeFileSync(join(home, 'calls'), '');
  return new LaunchdManager('xapi-device', home);
}
const readCalls = () => readFileSync(join(home, 'calls'), 'utf8').trim().split('\n');

it('loads the agent anew, and says where its output is', async () => {
  const [advice] = await writeLaunchctl('[ "$1" = bootstrap ]').install(DEFINITION);
  expect(readFileSync(agent, 'utf8')).toContain('<string>/opt/node</string>');
  expect(readCalls()).toEqual([
    `bootout ${target}/xapi-device`,
    `print ${target}/xapi-device`,
    `bootstrap ${target} ${agent}`,
  ]);
  expect(advice).toContain(join(home, 'Library', 'Logs', 'xapi-device.log'));
});

it('loads the agent when launchd has ended the one from before', async () => {
  const asked = (words: string) => `[ $(grep -c "^${words}" '${home}/calls') -le 2 ]`;
  await writeLaunchctl(
    'case $1 in',
    'bootout) exit 36 ;;',
    `print) ${asked('print')} ;;`,
    `bootstrap) ${asked('bootstrap')} && exit 5 || exit 0 ;;`,
    'esac',
  ).install(DEFINITION);
  expect(readCalls().map((call) => call.split(' ')[0])).toEqual([
    'bootout',
    'print',
    'print',
    'print',
    'bootstrap',
    'bootstrap',
    'bootstrap',
  ]);
});

it('says what to run where no graphical login is', async () => {
  const refused = writeLaunchctl('echo "Bootstrap failed: 125: Domain does not support it" >&2; exit 125');
  const error = await refused.install(DEFINITION).catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(ManagerUnavailableError);
  expect((error as Error).message).toContain(`launchctl bootstrap ${target} '${agent}'`);
  expect((error as Error).message).toContain('Domain does not support it');
});

it('reads the process and the last lines', async () => {
  mkdirSync(join(home, 'Library', 'Logs'), { recursive: true });
  const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
  writeFileSync(join(home, 'Library', 'Logs', 'xapi-device.log'), `${lines.join('\n')}\n`);
  const manager = writeLaunchctl("printf '\\tstate = running\\n\\tpid = 4711\\n\\tsub = {\\n\\t\\tpid = x\\n'");
  expect(await manager.readStatus()).toEqual({
    ...{ isInstalled: true, isRunning: true, pid: 4711, detail: 'running' },
    lastLines: lines.slice(-10),
  });
  const unloaded = await writeLaunchctl('echo "Could not find service" >&2; exit 113').readStatus();
  expect(unloaded).toMatchObject({ isRunning: false, pid: null, detail: 'not loaded: Could not find service' });
});

it('keeps the file of an agent that it cannot stop', async () => {
  const stuck = writeLaunchctl("[ $1 = print ] && printf '\\tpid = 4711\\n' || exit 1");
  await expect(stuck.uninstall()).rejects.toThrow("can't be stopped");
  expect(existsSync(agent)).toBe(true);
  expect(await writeLaunchctl('[ $1 != print ]').uninstall()).toBe(true);
  expect(existsSync(agent)).toBe(false);
  expect(await writeLaunchctl('[ $1 != print ]').uninstall()).toBe(false);
});
