import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { getHomeFolder } from '../file-key-store';
import { writePrivateFile } from '../private-file';
import { runTool, type ToolResult } from './run-tool';
import {
  ManagerUnavailableError,
  requirePrintable,
  type ServiceDefinition,
  type ServiceManager,
  type ServiceStatus,
} from './service-manager';

/** Version of systemd from which on delays between restarts can grow. */
const GROWING_DELAYS_VERSION = 254;

/**
 * Exit statuses of a machine that another process with the same keys has replaced, which a restart would replace, and
 * of one that the service refuses for good.
 */
const FINAL_STATUSES = '3 4';

const PROPERTIES = 'ActiveState,SubState,MainPID,Result,ExecMainStatus';

/** User's manager of systemd. The journal has the output of the service. */
export class SystemdManager implements ServiceManager {
  readonly file: string;
  private readonly unit: string;

  constructor(name: string) {
    const { XDG_CONFIG_HOME: configHome = '' } = process.env;
    this.unit = `${name}.service`;
    this.file = join(
      isAbsolute(configHome) ? configHome : join(getHomeFolder(), '.config'),
      'systemd',
      'user',
      this.unit,
    );
  }

  async install(definition: ServiceDefinition): Promise<string[]> {
    const { unit } = this;
    const { stdout } = await runTool('systemctl', '--version');
    await writePrivateFile(this.file, formatSystemdUnit(definition, Number(/^systemd (\d+)/.exec(stdout)?.[1] ?? 0)));
    for (const args of [['daemon-reload'], ['enable', this.file], ['restart', unit]])
      this.requireSuccess(await this.callManager(...args));
    const linger = await runTool('loginctl', 'show-user', userInfo().username, '--property=Linger', '--value');
    const isLingering = linger.stdout.trim() === 'yes';
    return isLingering ? [] : ['It runs while you are logged in. To run it from boot on: loginctl enable-linger'];
  }

  async readStatus(): Promise<ServiceStatus> {
    const isInstalled = existsSync(this.file);
    const shown = await this.callManager('show', this.unit, `--property=${PROPERTIES}`);
    if (shown.status !== 0)
      return { isInstalled, isRunning: null, pid: null, detail: `unknown: ${shown.problem}`, lastLines: [] };
    const lines = shown.stdout.split('\n');
    const read = (name: string): string =>
      lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    const pid = Number(read('MainPID')) || null;
    const failure = read('Result') === 'success' ? '' : `, ${read('Result')}, exit status ${read('ExecMainStatus')}`;
    const args = ['--user', '--unit', this.unit, '--lines', '10', '--output', 'cat', '--no-pager', '--quiet'];
    const { stdout } = await runTool('journalctl', ...args);
    return {
      isInstalled,
      isRunning: pid !== null,
      pid,
      detail: `${read('ActiveState')} (${read('SubState')})${failure}`,
      lastLines: stdout.split('\n').filter(Boolean),
    };
  }

  async uninstall(): Promise<boolean> {
    const { isInstalled, isRunning } = await this.readStatus();
    const stopped = await this.callManager('disable', '--now', this.unit);
    // A service that goes on without its file would be out of reach.
    if (isRunning && stopped.status !== 0) throw new Error(`The service can't be stopped: ${stopped.problem}.`);
    await rm(this.file, { force: true });
    // A manager that can't be asked leaves the link, by which it would look for the unit at each login.
    await rm(join(dirname(this.file), 'default.target.wants', this.unit), { force: true });
    await this.callManager('daemon-reload');
    return isInstalled;
  }

  private callManager(...args: string[]): Promise<ToolResult> {
    return runTool('systemctl', '--user', ...args);
  }

  private requireSuccess({ status, problem }: ToolResult): void {
    if (status === 0) return;
    throw new ManagerUnavailableError(
      `Wrote ${this.file}, but the service is not started. systemd's manager of this user says: ${problem}.\n` +
        'In a login of this user, run:\n' +
        `  systemctl --user daemon-reload && systemctl --user enable --now '${this.file}'\n` +
        'Without systemd, let another service manager run the command of ExecStart in that file.',
    );
  }
}

/**
 * Formats the unit of a user's service manager.
 * @param version of systemd
 * @throws Error when an argument has control characters
 */
export function formatSystemdUnit({ command, environment }: ServiceDefinition, version: number): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  requirePrintable([...command, ...variables]);
  const [program = '', ...args] = command;
  // The program itself is no subject to the expansion of variables.
  const commandLine = [quote(program), ...args.map((arg) => quote(arg.replaceAll('$', '$$$$')))];
  const delays =
    version >= GROWING_DELAYS_VERSION
      ? ['RestartSec=5', 'RestartSteps=6', 'RestartMaxDelaySec=300']
      : ['RestartSec=30'];
  return `${[
    '# Written by "service install" of the External API device, which overwrites changes.',
    '[Unit]',
    'Description=External API machine',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    `ExecStart=${commandLine.join(' ')}`,
    ...variables.map((variable) => `Environment=${quote(variable)}`),
    'Restart=on-failure',
    `RestartPreventExitStatus=${FINAL_STATUSES}`,
    ...delays,
    'KillMode=mixed',
    'TimeoutStopSec=20',
    'UMask=0077',
    '',
    '[Install]',
    'WantedBy=default.target',
  ].join('\n')}\n`;
}

/** Quotes a word, in which systemd expands escapes and specifiers such as `%h`. */
const quote = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
