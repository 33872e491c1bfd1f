import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itWith } from '../../../../test/support/dependencies';
import { parseSystemdUnit } from '../../../../test/support/systemd-words';
import { formatSystemdUnit } from './systemd-manager';

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
