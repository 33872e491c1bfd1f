import { spawnSync } from 'node:child_process';
import { formatLaunchdAgent } from './launchd-agent';
import { itWith } from '../../../../test/support/dependencies';

const PARSER = 'import json, plistlib, sys; json.dump(plistlib.loads(sys.stdin.buffer.read()), sys.stdout)';
const PLACE = { label: 'xapi-device', logFile: '/Users/jörg & co/Library/Logs/xapi-device.log' };

itWith('python3')('is a property list with each argument and variable as it is', () => {
  const command = ['/opt/node 20/bin/node', '<&>"\'', '$HOME %h', 'Jörg 日本', '', '  spaces  ', ']]>', '&amp;'];
  const environment = { PATH: '/opt/a & b/bin:/usr/bin', LANG: 'de_DE.UTF-8' };
  const input = formatLaunchdAgent({ command, environment }, PLACE);
  const { stdout, stderr } = spawnSync('python3', ['-c', PARSER], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    Label: 'xapi-device',
    ProgramArguments: command,
    EnvironmentVariables: { ...environment, XAPI_DEVICE_LAUNCHD: '1' },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 30,
    ExitTimeOut: 20,
    Umask: 0o77,
    StandardOutPath: PLACE.logFile,
    StandardErrorPath: PLACE.logFile,
  });
});

it('refuses control characters, which XML cannot contain', () => {
  expect(() => formatLaunchdAgent({ command: ['/bin/true', '\u001b'], environment: {} }, PLACE)).toThrow('control');
});
