import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { itWith } from '../../../../test/support/dependencies';
import { parseSystemdUnit } from '../../../../test/support/systemd-words';
import { formatSystemdUnit, SystemdManager } from './systemd-manager';

const ODD_TEXTS = [
  'a b',
  '100%h',
  '%%',
  '$HOME ${HOME}',
  '$$',
  `it's "quoted"`,
  'back\\slash\\n',
  'Jörg 日本',
  '',
  ';',
  '#x',
];
const DEFINITION = {
  command: [process.execPath, ...ODD_TEXTS],
  environment: { PATH: '/opt/Jörg’s 100% "tools"/bin:/usr/bin', LANG: 'de_DE.UTF-8', ODD: '$HOME \\ %u' },
};

it('contains each argument and variable as it is', () => {
  const { command, environment } = parseSystemdUnit(formatSystemdUnit(DEFINITION, 252));
  expect(command).toEqual(DEFINITION.command);
  expect(environment).toEqual(DEFINITION.environment);
});

it('restarts after failures, with growing delays where it can, but not a machine that was replaced or refused', () => {
  const common = { Restart: 'on-failure', RestartPreventExitStatus: '3 4', StartLimitIntervalSec: '0' };
  expect(parseSystemdUnit(formatSystemdUnit(DEFINITION, 252)).settings).toMatchObject({ ...common, RestartSec: '30' });
  expect(parseSystemdUnit(formatSystemdUnit(DEFINITION, 254)).settings).toMatchObject({
    ...common,
    ...{ RestartSec: '5', RestartSteps: '6', RestartMaxDelaySec: '300' },
  });
});

it.each(['a\nExecStartPre=/bin/true', '\u0000', 'a\rb'])('refuses %j', (text) => {
  expect(() => formatSystemdUnit({ command: ['/bin/true', text], environment: {} }, 252)).toThrow('control characters');
  expect(() => formatSystemdUnit({ command: ['/bin/true'], environment: { A: text } }, 252)).toThrow();
});

itWith('systemd-analyze')('is a unit that systemd accepts without a warning', () => {
  const { stdout } = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
  const folder = mkdtempSync(join(tmpdir(), 'systemd-unit-'));
  const file = join(folder, 'xapi-device.service');
  writeFileSync(file, formatSystemdUnit(DEFINITION, Number(/\d+/.exec(stdout)?.[0])));
  const verified = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', file], {
    encoding: 'utf8',
    env: { ...process.env, XDG_RUNTIME_DIR: folder },
  });
  rmSync(folder, { recursive: true });
  expect(`${verified.stdout}${verified.stderr}`).not.toContain('xapi-device.service');
  expect(verified.status).toBe(0);
});

describe('the service', () => {
  const { PATH, XDG_CONFIG_HOME } = process.env;
  const folder = mkdtempSync(join(tmpdir(), 'systemd-manager-'));
  const unit = join(folder, 'systemd', 'user', 'xapi-device.service');
  const link = join(dirname(unit), 'default.target.wants', 'xapi-device.service');

  beforeAll(() => Object.assign(process.env, { PATH: `${folder}:${PATH}`, XDG_CONFIG_HOME: folder }));
  beforeEach(() => {
    mkdirSync(dirname(link), { recursive: true });
    writeFileSync(unit, '');
    rmSync(link, { force: true });
    symlinkSync(unit, link);
  });
  afterAll(() => {
    process.env.PATH = PATH;
    if (XDG_CONFIG_HOME === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME;
    rmSync(folder, { recursive: true });
  });

  /** Stands in for the tools of systemd. */
  function createManager(systemctl: string): SystemdManager {
    const scripts = { systemctl, journalctl: 'printf "one\\n\\ntwo\\n"' };
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, name), 0o755);
    }
    return new SystemdManager('xapi-device');
  }
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const NO_MANAGER = 'echo "Failed to connect to bus: No medium found" >&2; exit 1';
  const show = (...lines: string[]) => `[ "$2" = show ] && printf '${lines.map((line) => `${line}\\n`).join('')}'`;

  it('says why it does not run, with its last lines', async () => {
    const states = ['ActiveState=failed', 'SubState=failed', 'MainPID=0', 'Result=exit-code', 'ExecMainStatus=4'];
    expect(await createManager(show(...states)).readStatus()).toEqual({
      ...{ isInstalled: true, isRunning: false, pid: null },
      detail: 'failed (failed), exit-code, exit status 4',
      lastLines: ['one', 'two'],
    });
  });

  it('is of an unknown state where no manager answers', async () => {
    expect(await createManager(NO_MANAGER).readStatus()).toEqual({
      ...{ isInstalled: true, isRunning: null, pid: null, lastLines: [] },
      detail: 'unknown: Failed to connect to bus: No medium found',
    });
  });

  it('is removed with the link that would start it at the next login, also where no manager answers', async () => {
    expect(await createManager(NO_MANAGER).uninstall()).toBe(true);
    expect([unit, link].map(isThere)).toEqual([false, false]);
    expect(await createManager(NO_MANAGER).uninstall()).toBe(false);
  });

  it('stays if it runs and can not be stopped', async () => {
    const stuck = createManager(`${show('ActiveState=active', 'MainPID=4711', 'Result=success')} || exit 1`);
    await expect(stuck.uninstall()).rejects.toThrow("The service can't be stopped: systemctl failed.");
    expect([existsSync(unit), isThere(link)]).toEqual([true, true]);
  });
});
