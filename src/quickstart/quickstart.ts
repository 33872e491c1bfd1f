import { mkdir } from 'node:fs/promises';
import { demoAccount, demoToken } from './demo-account';
import { demoMachine, type DemoMachine } from './demo-machine';
import { ExternalApi } from './external-api';
import type { Options } from './options';
import { choosePort } from './port';
import { runCommand, sendMessage } from './relayed-calls';
import { showAnswers, showCurlLines, showEvent, showFooter } from './results';
import type { Screen } from './screen';
import { ServiceProcess } from './service-process';

const STEP_WITHIN_MS = 60_000;

/** The main job from nothing: service, account, machine, token, and two relayed calls through the HTTP API. */
export class Quickstart {
  private service: ServiceProcess | undefined;
  private machine: DemoMachine | undefined;

  /** @param interrupted aborts the run; it then stops as it would have at its end */
  constructor(
    private readonly options: Options,
    private readonly screen: Screen,
    private readonly interrupted: AbortSignal,
  ) {}

  async run(): Promise<void> {
    try {
      await this.start();
    } catch (error) {
      // The reason is what counts now: no more steps on the screen.
      await this.machine?.service.stop();
      await this.service?.stop();
      throw error;
    }
    await this.stop();
  }

  private async start(): Promise<void> {
    const { options, screen } = this;
    // What has passed since the process began is the build (scripts/run-built.mjs).
    screen.done('Build', performance.now(), performance.now() < 1_500 ? 'up to date' : '');
    const service = await this.startService();
    const { url } = service;
    const account = await this.step(
      'Make an account',
      () => demoAccount(url, options.folder),
      ({ username, isNew }) => `${username}${isNew ? '' : ', from an earlier run'}`,
    );
    const machine = await this.step(
      'Pair a machine',
      (signal) => demoMachine(url, options.folder, account, signal).then((made) => (this.machine = made)),
      ({ service: { identity }, isNew }) => `${identity.machineId}${isNew ? '' : ', from an earlier run'}`,
    );
    const { identity } = machine.service;
    const token = await this.step(
      'Make a token',
      () => demoToken(account.device),
      () => 'svc_pat_…, for a day',
    );
    const api = new ExternalApi(url, token);
    const relayed = [
      await this.step(
        'Send a message',
        () => sendMessage(api, identity.sessionId),
        ({ summary }) => summary,
      ),
      await this.step(
        'Run a command',
        () => runCommand(api, identity.machineId),
        ({ summary }) => summary,
      ),
    ];
    showAnswers(screen, relayed);
    if (options.once) {
      screen.line('Without --once everything stays up, with curl lines to copy.\n');
      return;
    }
    showCurlLines(screen, api, identity);
    showFooter(screen, options.folder);
    machine.listen((event) => showEvent(screen, event));
    await this.untilInterrupted(machine);
  }

  private async startService(): Promise<ServiceProcess> {
    const { port: wanted, folder } = this.options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { port, instead } = await choosePort(wanted);
    if (instead) this.screen.line(`  ! ${instead}, so the service runs on port ${port}`);
    return this.step(
      'Start the service',
      async (signal) => {
        this.service = ServiceProcess.start(port, folder);
        await Promise.race([this.service.ready(signal), this.service.failed]);
        return this.service;
      },
      ({ url }) => url,
    );
  }

  /** One step: it ends early when the service dies, on Ctrl-C, and when it takes far too long. */
  private step<T>(label: string, work: (signal: AbortSignal) => Promise<T>, tell: (result: T) => string): Promise<T> {
    const late = AbortSignal.timeout(this.service ? STEP_WITHIN_MS : 2 * STEP_WITHIN_MS);
    const signal = AbortSignal.any([this.interrupted, late]);
    const cutOff = new Promise<never>((_, reject) => {
      const end = () =>
        reject(this.interrupted.aborted ? new Error('Interrupted.') : new Error('This step took too long.'));
      if (signal.aborted) end();
      signal.addEventListener('abort', end, { once: true });
    });
    const ends = this.service ? [cutOff, this.service.failed] : [cutOff];
    return this.screen.step(label, () => Promise.race([work(signal), ...ends]), tell);
  }

  private async untilInterrupted({ service }: DemoMachine): Promise<void> {
    const interruption = new Promise<void>((resolve) => {
      if (this.interrupted.aborted) resolve();
      this.interrupted.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([interruption, service.failed, this.service!.failed]);
    this.screen.line();
  }

  private async stop(): Promise<void> {
    const { machine, service, screen } = this;
    if (machine) await screen.step('Stop the machine', () => machine.service.stop());
    if (service) {
      await screen.step(
        'Stop the service',
        () => service.stop(),
        (clean) => (clean ? '' : 'it had to be killed'),
      );
    }
  }
}
