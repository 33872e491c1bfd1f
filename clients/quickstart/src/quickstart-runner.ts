import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FileKeyStore, runWithTimeLimit } from '@external-api/device';
import { createBrowserCode, createDemoToken, openOrCreateDemoAccount, revokeBrowserCodes } from './demo-account';
import { approveToolCall, grantDemoContent, readChanges, waitForDemoTurn } from './approval';
import { createDemoAgent, startDemoMachine, type DemoAgent, type DemoMachine } from './demo-machine';
import { ExternalApiClient } from './external-api-client';
import type { QuickstartOptions } from './quickstart-options';
import { choosePort } from './choose-port';
import { runDemoCommand, sendDemoMessage, startDemoSession, type RelayedCall } from './relayed-calls';
import { printChanges, printResponses, printCurlCommands, printMachineEvent, printFooter } from './print-results';
import type { ProgressView } from './progress-view';
import { QuickstartServiceProcess, ServiceFailedError } from './quickstart-service-process';

const STEP_TIMEOUT_MS = 60_000;
/** Part of the service's message. */
const IN_USE_TEXT = 'is in use by another running process';

/** Runs the demo from scratch: service, account, machine, token, and relayed calls through the HTTP API. */
export class QuickstartRunner {
  private service: QuickstartServiceProcess | undefined;
  private machine: DemoMachine | undefined;

  /** @param interruptSignal aborts the run, which then stops its processes as usual */
  constructor(
    private readonly quickstartOptions: QuickstartOptions,
    private readonly progressView: ProgressView,
    private readonly interruptSignal: AbortSignal,
  ) {}

  async runDemo(): Promise<void> {
    try {
      await this.runSteps();
    } catch (error) {
      // Stop without printing steps, so that the error stays the last output.
      await this.machine?.service.stop().catch(() => undefined);
      await this.service?.stopProcess();
      throw error;
    }
    await this.stopProcesses();
  }

  private async runSteps(): Promise<void> {
    const { quickstartOptions: options, progressView: screen } = this;
    // The time since the process started is the build's (tools/run-built.mjs).
    screen.writeCompletedStep('Build', performance.now(), performance.now() < 1_500 ? 'up to date' : '');
    const service = await this.startService();
    const { url } = service;
    const agent = createDemoAgent(options.agent);
    const account = await this.runStep(
      'Create an account',
      () => openOrCreateDemoAccount(url, options.folder),
      ({ username, isNew }) => `${username}${isNew ? '' : ', from an earlier run'}`,
    );
    const machine = await this.runStep(
      'Pair a machine',
      (signal) =>
        startDemoMachine(url, options.folder, account, agent.options, signal).then(
          (startedMachine) => (this.machine = startedMachine),
        ),
      ({ service: { identity }, isNew }) => `${identity.machineId}${isNew ? '' : ', from an earlier run'}`,
    );
    const { identity } = machine.service;
    const { id: tokenId, token } = await this.runStep(
      'Create a token',
      () => createDemoToken(account.device),
      () => 'svc_pat_…, valid for a day',
    );
    const api = new ExternalApiClient(url, token);
    const started = await this.runStep(
      'Start an agent',
      () => startDemoSession(api, identity),
      ({ summary }) => summary,
    );
    await grantDemoContent(account.device, started.sessionId, tokenId);
    const { relayedCalls, patch } = await this.runTurn(api, started.sessionId, agent);
    const command = await this.runStep(
      'Run a command',
      () => runDemoCommand(api, identity.machineId),
      ({ summary }) => summary,
    );
    if (options.once) printResponses(screen, [started, ...relayedCalls, command]);
    if (patch) printChanges(screen, patch);
    if (options.once) {
      screen.writeLine('Without --once, everything keeps running and curl commands are printed.\n');
      return;
    }
    printCurlCommands(screen, api, { ...identity, sessionId: started.sessionId });
    printFooter(screen, url, options.folder, await createBrowserCode(account.device), agent.isApproved);
    machine.setListener((event) => printMachineEvent(screen, event));
    await this.waitForInterruption(machine);
    await screen.runStep('Revoke the code', () => revokeBrowserCodes(account.device));
  }

  /** Sends the message of the demo, and allows what the test agent asks for. */
  private async runTurn(
    api: ExternalApiClient,
    sessionId: string,
    { prompt, isApproved }: DemoAgent,
  ): Promise<{ relayedCalls: RelayedCall[]; patch: string | null }> {
    const sent = await this.runStep(
      'Send a message',
      () => sendDemoMessage(api, sessionId, prompt),
      ({ summary }) => summary,
    );
    if (!isApproved) return { relayedCalls: [sent], patch: null };
    const approved = await this.runStep(
      'Approve a tool call',
      () => approveToolCall(api, sessionId),
      ({ summary }) => summary,
    );
    await this.runStep(
      'Wait for the turn',
      () => waitForDemoTurn(api, sessionId, sent.turnId),
      (summary) => summary,
    );
    const patch = await this.runStep(
      'Read the changes',
      () => readChanges(api, sessionId, sent.turnId),
      (text) => (text === null ? 'none: Git is not installed' : `${sent.turnId}.patch`),
    );
    return { relayedCalls: [sent, approved], patch };
  }

  private async startService(): Promise<QuickstartServiceProcess> {
    const { port: preferredPort, folder } = this.quickstartOptions;
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
      throw new Error(`DATA_DIR cannot be used: ${error.message}`);
    });
    const { port, fallbackReason } = await choosePort(preferredPort);
    if (fallbackReason) this.progressView.writeLine(`  ! ${fallbackReason}, so the service uses port ${port}`);
    return this.runStep(
      'Start the service',
      async (signal) => {
        this.service = QuickstartServiceProcess.startProcess(port, folder);
        await Promise.race([this.service.waitUntilReady(signal), this.service.failure]).catch(async (error: Error) => {
          throw (await findRunningQuickstart(error, folder)) ?? error;
        });
        return this.service;
      },
      ({ url }) => url,
    );
  }

  /**
   * Runs one step. It fails early when the service exits, on Ctrl-C, and on a timeout. The signal of `work` aborts only
   * during the step, so that what the step has started can keep it.
   */
  private runStep<T>(
    label: string,
    work: (signal: AbortSignal) => Promise<T>,
    formatResult: (result: T) => string,
  ): Promise<T> {
    const { service, interruptSignal } = this;
    const limitMs = service ? STEP_TIMEOUT_MS : 2 * STEP_TIMEOUT_MS;
    const runUntilAborted = (signal: AbortSignal): Promise<T> => {
      const aborted = new Promise<never>((_, reject) => {
        const rejectAborted = () => reject(signal.reason as Error);
        if (signal.aborted) rejectAborted();
        signal.addEventListener('abort', rejectAborted, { once: true });
      });
      return Promise.race([work(signal), aborted, ...(service ? [service.failure] : [])]);
    };
    const runLimited = () => runWithTimeLimit(limitMs, interruptSignal, runUntilAborted);
    return this.progressView.runStep(label, runLimited, formatResult);
  }

  private async waitForInterruption({ service }: DemoMachine): Promise<void> {
    const interruption = new Promise<void>((resolve) => {
      if (this.interruptSignal.aborted) resolve();
      this.interruptSignal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([interruption, service.failed, this.service!.failure]);
    this.progressView.writeLine();
  }

  private async stopProcesses(): Promise<void> {
    const { machine, service, progressView: screen } = this;
    if (machine) await screen.runStep('Stop the machine', () => machine.service.stop());
    if (service) {
      await screen.runStep(
        'Stop the service',
        () => service.stopProcess(),
        (exitedCleanly) => (exitedCleanly ? '' : 'killed after a timeout'),
      );
    }
  }
}

/** Returns an error with the address of the quickstart that uses the folder, if this is the reason of a failure. */
async function findRunningQuickstart(error: Error, folder: string): Promise<Error | null> {
  const isInUse = error instanceof ServiceFailedError && error.lastLines.some((line) => line.includes(IN_USE_TEXT));
  if (!isInUse) return null;
  const state = await new FileKeyStore(join(folder, 'account.json')).loadState('account').catch(() => undefined);
  return state ? new Error(`A quickstart is already running at ${state.url}`) : null;
}
