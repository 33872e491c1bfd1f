import { existsSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHomeFolder } from '../file-key-store';
import { writePrivateFile } from '../private-file';
import { formatLaunchdAgent } from './launchd-agent';
import { runTool, type ToolResult } from './run-tool';
import {
  ManagerUnavailableError,
  type ServiceDefinition,
  type ServiceManager,
  type ServiceStatus,
} from './service-manager';

const LOG_TAIL_BYTES = 8 * 1_024;
/** Longer than the agent's own time to exit. */
const UNLOAD_TIMEOUT_MS = 25_000;
/** Status of `bootout` while the process of the agent ends. */
const IN_PROGRESS = 36;
/** Status of `bootstrap` while launchd still knows the agent. */
const STILL_LOADED = [5, 37];
const LOAD_ATTEMPTS = 10;
const POLL_INTERVAL_MS = 500;

/** launchd of macOS, with an agent of this user. A log file has its output. */
export class LaunchdManager implements ServiceManager {
  readonly file: string;
  private readonly logFile: string;
  private readonly domain = `gui/${userInfo().uid}`;

  constructor(
    private readonly label: string,
    home = getHomeFolder(),
  ) {
    this.file = join(home, 'Library', 'LaunchAgents', `${label}.plist`);
    this.logFile = join(home, 'Library', 'Logs', `${label}.log`);
  }

  async install(definition: ServiceDefinition): Promise<string[]> {
    const { label, logFile, domain, file } = this;
    await mkdir(dirname(logFile), { recursive: true });
    await writePrivateFile(file, formatLaunchdAgent(definition, { label, logFile }));
    // The file of a loaded agent is not read again.
    await this.unload();
    const { status, problem } = await this.load();
    if (status !== 0)
      throw new ManagerUnavailableError(
        `Wrote ${file}, but the service is not started: ${problem}.\n` +
          `In a graphical login of this user, run:\n  launchctl bootstrap ${domain} '${file}'`,
      );
    return [`Its output is in ${logFile}.`];
  }

  private get target(): string {
    return `${this.domain}/${this.label}`;
  }

  async readStatus(): Promise<ServiceStatus> {
    const isInstalled = existsSync(this.file);
    const { status, stdout, problem } = await runTool('launchctl', 'print', this.target);
    const [, pid = ''] = /^\tpid = (\d+)$/m.exec(stdout) ?? [];
    const [, state = 'loaded'] = /^\tstate = (.+)$/m.exec(stdout) ?? [];
    return {
      isInstalled,
      isRunning: pid !== '',
      pid: Number(pid) || null,
      detail: status === 0 ? state : `not loaded: ${problem}`,
      lastLines: await readLastLines(this.logFile),
    };
  }

  async uninstall(): Promise<boolean> {
    const { isInstalled, isRunning } = await this.readStatus();
    const { isLoaded, problem } = await this.unload();
    if (isRunning && isLoaded) throw new Error(`The service can't be stopped: ${problem}.`);
    await rm(this.file, { force: true });
    return isInstalled;
  }

  /** Stops the agent and waits until launchd has forgotten it. Before that, it can't be loaded again. */
  private async unload(): Promise<{ isLoaded: boolean; problem: string }> {
    const { status, problem } = await runTool('launchctl', 'bootout', this.target);
    const isStopping = status === 0 || status === IN_PROGRESS;
    for (let waitedMs = 0; ; waitedMs += POLL_INTERVAL_MS) {
      const isLoaded = (await runTool('launchctl', 'print', this.target)).status === 0;
      if (!isLoaded || !isStopping || waitedMs >= UNLOAD_TIMEOUT_MS) return { isLoaded, problem };
      await sleep(POLL_INTERVAL_MS);
    }
  }

  private async load(): Promise<ToolResult> {
    for (let attempt = 1; ; attempt++) {
      const result = await runTool('launchctl', 'bootstrap', this.domain, this.file);
      if (attempt === LOAD_ATTEMPTS || !STILL_LOADED.includes(result.status ?? 0)) return result;
      await sleep(POLL_INTERVAL_MS);
    }
  }
}

async function readLastLines(path: string): Promise<string[]> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, LOG_TAIL_BYTES));
    await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').split('\n').filter(Boolean).slice(-10);
  } finally {
    await file.close();
  }
}
