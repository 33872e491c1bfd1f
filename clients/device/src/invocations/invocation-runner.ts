import { computeInvocationId, type InvocationReport, type RelayRequest } from '@external-api/protocol';
import { CommandError } from '../exec/command-error';
import { identifyProcess } from '../exec/process-identity';
import { checkWorkingDirectory } from '../exec/working-directory';
import type { LiveOutputRequests } from '../live/live-output-requests';
import { EARLY_CANCELLATION_TTL_MS, ExpiringIdSet } from '../machine/cancellation-registry';
import type { ServerClock } from '../machine/server-clock';
import type { InvocationEntry, InvocationFiles } from './invocation-files';
import type { InvocationJournal } from './invocation-journal';
import { createEndChange, createLostChange, createRefusedChange } from './invocation-reports';
import { InvocationRun, type InvocationCommand } from './invocation-run';
import { LiveOutputSender } from './live-output-sender';

/** Commands that run at the same time. */
const MAX_RUNNING = 8;
/** How long the processes of a group have between SIGTERM and SIGKILL when the device stops. */
const STOP_GRACE_MS = 500;

export interface InvocationRunnerDependencies {
  journal: InvocationJournal;
  files: InvocationFiles;
  clock: ServerClock;
  liveOutput: LiveOutputRequests;
  onProblem: (problem: string) => void;
}

interface RunningInvocation {
  run: InvocationRun;
  /** Resolves when the end of the command is saved, or can't be. */
  recorded: Promise<void>;
}

/** Starts and ends the commands of this device's invocations. */
export class InvocationRunner {
  private readonly runs = new Map<string, RunningInvocation>();
  /** Commands that are about to run. They settle when they do, or can't. */
  private readonly starts = new Map<string, Promise<InvocationReport>>();
  /** Invocations cancelled before their start, which may come on another connection or wait for the service's time. */
  private readonly cancelledIds = new ExpiringIdSet(() => performance.now());
  /** Invocations that the device ended because it stops. */
  private readonly lostIds = new Set<string>();
  private isStopping = false;

  constructor(private readonly dependencies: InvocationRunnerDependencies) {}

  /**
   * Starts a command, unless the request has started one before. Resolves with the state that survives a restart.
   * @param signal aborting it prevents the start, and does not end a command that runs
   * @throws CommandError `busy` or `cancelled` if nothing was done, or the error of the command, which is reported as
   *   well
   */
  async startInvocation(
    { requestId, deadline }: Pick<RelayRequest, 'requestId' | 'deadline'>,
    command: InvocationCommand,
    signal: AbortSignal,
  ): Promise<InvocationReport> {
    const { journal } = this.dependencies;
    const known = journal.findEntry(requestId)?.report;
    if (known) return known;
    if (this.cancelledIds.has(requestId))
      throw new CommandError('cancelled', 'The invocation was cancelled before its start arrived.');
    // A command that has begun and is still being recorded is in both.
    const activeIds = new Set([...this.runs.keys(), ...this.starts.keys()]);
    if (this.isStopping || activeIds.size >= MAX_RUNNING)
      throw new CommandError('busy', `The machine runs ${MAX_RUNNING} invocations.`);
    const started = this.createInvocation(requestId, deadline, command, signal);
    this.starts.set(requestId, started);
    try {
      return await started;
    } finally {
      this.starts.delete(requestId);
    }
  }

  /** Ends a command and returns the state of its invocation; undefined for an unknown one, which starts no more. */
  async cancelInvocation(requestId: string): Promise<InvocationReport | undefined> {
    // One that is about to run is not unknown, and must not run on after the answer.
    await this.starts.get(requestId)?.catch(() => undefined);
    const running = this.runs.get(requestId);
    running?.run.cancel();
    await running?.recorded;
    const report = this.dependencies.journal.findEntry(requestId)?.report ?? undefined;
    if (!report) this.cancelledIds.add(requestId, performance.now() + EARLY_CANCELLATION_TTL_MS);
    return report;
  }

  /** Ends all commands. They have failed with `process_lost`. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const [requestId, { run }] of this.runs) {
      if (!run.isCancelled) this.lostIds.add(requestId);
      run.cancel(STOP_GRACE_MS);
    }
    await Promise.all([...this.runs.values()].map(({ recorded }) => recorded));
  }

  private async createInvocation(
    requestId: string,
    deadline: number,
    command: InvocationCommand,
    signal: AbortSignal,
  ): Promise<InvocationReport> {
    const { journal } = this.dependencies;
    await journal.deleteExpired();
    const entry = await journal.createEntry(requestId, deadline);
    await this.runCommand(entry, command, signal).catch(async (error: unknown) => {
      await journal.changeReport(entry, createRefusedChange(error, this.now()));
      throw error;
    });
    return entry.report!;
  }

  private async runCommand(entry: InvocationEntry, command: InvocationCommand, signal: AbortSignal): Promise<void> {
    const { files, liveOutput, onProblem } = this.dependencies;
    await checkWorkingDirectory(command.cwd);
    const output = await files.createOutput(entry.requestId);
    const closeOutput = () => Promise.all([output.stdout.close(), output.stderr.close()]);
    if (signal.aborted) {
      await closeOutput();
      throw new CommandError('cancelled', 'The call was cancelled.');
    }
    const onOutputProblem = ({ message }: Error): void =>
      onProblem(`The output of ${entry.requestId} can't be written: ${message}`);
    const sender = new LiveOutputSender(computeInvocationId(entry.requestId), liveOutput);
    const onStored = sender.addBytes.bind(sender);
    const target = { files: output, onProblem: onOutputProblem, onStored };
    const run = await InvocationRun.startCommand(command, target).catch(async (error: unknown) => {
      await closeOutput();
      throw error;
    });
    void run.ended.then(() => sender.close());
    const started = this.recordStart(entry, run);
    this.runs.set(entry.requestId, { run, recorded: this.recordEnd(entry, run, started) });
    await started;
  }

  /** @throws Error if the start can't be saved; then the command is ended */
  private async recordStart(entry: InvocationEntry, run: InvocationRun): Promise<void> {
    try {
      entry.process = (await identifyProcess(run.pid)) ?? null;
      await this.dependencies.journal.changeReport(entry, { state: 'running', startedAt: this.now() });
    } catch (error) {
      run.cancel();
      throw error;
    }
  }

  private async recordEnd(entry: InvocationEntry, run: InvocationRun, started: Promise<void>): Promise<void> {
    const end = await run.ended;
    await started.catch(() => undefined);
    const endedAt = this.now();
    const isLost = this.lostIds.has(entry.requestId) && end.outcome === 'cancelled';
    const { stdoutBytes, stderrBytes } = end;
    const change = isLost ? { ...createLostChange(endedAt), stdoutBytes, stderrBytes } : createEndChange(end, endedAt);
    await this.dependencies.journal.changeReport(entry, change).catch(() => undefined);
    this.runs.delete(entry.requestId);
  }

  private now(): number {
    return this.dependencies.clock.now();
  }
}
