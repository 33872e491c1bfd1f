import { isFinalInvocationState, type InvocationReport, type OutputStreamName } from '@external-api/protocol';
import { CommandError, getErrnoCode } from '../exec/command-error';
import { killLeftoverGroup } from '../exec/process-identity';
import type { ServerClock } from '../machine/server-clock';
import type { InvocationEntry, InvocationFiles } from './invocation-files';
import type { InvocationReporter } from './invocation-reporter';
import { createLostChange, createNextReport, type InvocationChange } from './invocation-reports';
import type { RingFileRange } from './ring-file';

/** How long the output of an ended invocation is kept. */
const OUTPUT_LIFETIME_MS = 24 * 3_600_000;

export interface InvocationJournalDependencies {
  files: InvocationFiles;
  reporter: InvocationReporter;
  clock: ServerClock;
  onProblem: (problem: string) => void;
}

/** Output of an invocation from an offset on. */
export interface InvocationOutput extends RingFileRange {
  /** Whether nothing follows. */
  eof: boolean;
}

/** The states of this device's invocations: each is saved, then reported until the service has stored it. */
export class InvocationJournal {
  private readonly entries = new Map<string, InvocationEntry>();
  private readonly lastSaves = new Map<string, Promise<void>>();
  private isClosed = false;

  private constructor(private readonly dependencies: InvocationJournalDependencies) {}

  /** Loads the invocations of an earlier run. Those that were open are lost, and their processes are killed. */
  static async openJournal(dependencies: InvocationJournalDependencies): Promise<InvocationJournal> {
    const journal = new InvocationJournal(dependencies);
    const entries = await dependencies.files.loadEntries(dependencies.onProblem);
    for (const entry of entries) await journal.restoreEntry(entry);
    await journal.deleteExpired();
    return journal;
  }

  findEntry(requestId: string): InvocationEntry | undefined {
    return this.entries.get(requestId);
  }

  /** Adds an invocation that is about to start. @throws CommandError `busy` if it can't be saved; then there is none */
  async createEntry(requestId: string, deadline: number): Promise<InvocationEntry> {
    const createdAt = this.dependencies.clock.now();
    const entry = { requestId, deadline, createdAt, process: null, report: null, isSettled: false };
    await this.saveEntry(entry).catch(async (error: Error) => {
      this.lastSaves.delete(requestId);
      // The file may be there, and only its sync have failed.
      await this.dependencies.files.deleteEntry(requestId).catch(() => undefined);
      throw new CommandError('busy', `The state of the invocation can't be saved: ${error.message}`);
    });
    this.entries.set(requestId, entry);
    return entry;
  }

  /**
   * Saves the next state, then reports it. An end is reported even if it can't be saved, since callers wait for it. A
   * final state stays.
   * @throws Error when the state can't be saved
   */
  async changeReport(entry: InvocationEntry, change: InvocationChange): Promise<void> {
    if (entry.report && isFinalInvocationState(entry.report.state)) return;
    const report = createNextReport(entry.report, change);
    entry.report = report;
    try {
      await this.saveEntry(entry);
    } catch (error) {
      if (!isFinalInvocationState(report.state)) throw error;
    }
    void this.reportEntry(entry, report);
  }

  /** Reports an end again that the service has stored and lost since, as after a restore. */
  repeatEnd(entry: InvocationEntry): void {
    if (entry.isSettled && entry.report) void this.reportEntry(entry, entry.report);
  }

  /** @throws CommandError `output_not_found` */
  async readOutput(
    requestId: string,
    stream: OutputStreamName,
    range: { offset: number; limit: number },
  ): Promise<InvocationOutput> {
    const entry = this.entries.get(requestId);
    if (!entry) throw createOutputNotFoundError();
    // Before the bytes are read: if the command has ended then, nothing follows them.
    const hasEnded = entry.report !== null && isFinalInvocationState(entry.report.state);
    try {
      const output = await this.dependencies.files.readOutput(requestId, stream, range);
      return { ...output, eof: hasEnded && output.offset + output.data.length >= output.totalBytes };
    } catch (error) {
      throw getErrnoCode(error) === 'ENOENT' ? createOutputNotFoundError() : error;
    }
  }

  /** Deletes output after a day, and then what the service has stored or refused. */
  async deleteExpired(): Promise<void> {
    const { files, clock } = this.dependencies;
    const now = clock.now();
    for (const { requestId, isSettled, report } of [...this.entries.values()]) {
      const endedAt = report?.endedAt ?? null;
      if (endedAt === null || now < endedAt + OUTPUT_LIFETIME_MS) continue;
      await files.deleteOutput(requestId).catch(() => undefined);
      // However old it is: without its entry, the invocation would be reported as lost.
      if (!isSettled) continue;
      this.entries.delete(requestId);
      this.lastSaves.delete(requestId);
      await files.deleteEntry(requestId).catch(() => undefined);
    }
  }

  /** Waits for the files, after the last report. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.lastSaves.values()].map((save) => save.catch(() => undefined)));
    await this.dependencies.files.close();
  }

  private async reportEntry(entry: InvocationEntry, report: InvocationReport): Promise<void> {
    await this.dependencies.reporter.sendReport(entry.requestId, report);
    if (!isFinalInvocationState(report.state)) return;
    entry.isSettled = true;
    if (!this.isClosed) await this.saveEntry(entry).catch(() => undefined);
  }

  /** Saves the states of an invocation in their order. @throws Error ENOSPC */
  private async saveEntry(entry: InvocationEntry): Promise<void> {
    const { files, onProblem } = this.dependencies;
    const snapshot = structuredClone(entry);
    const previous = this.lastSaves.get(entry.requestId) ?? Promise.resolve();
    const save = previous.catch(() => undefined).then(() => files.saveEntry(snapshot));
    this.lastSaves.set(entry.requestId, save);
    await save.catch((error: Error) => {
      onProblem(`The state of ${entry.requestId} can't be saved: ${error.message}`);
      throw error;
    });
  }

  private async restoreEntry(entry: InvocationEntry): Promise<void> {
    this.entries.set(entry.requestId, entry);
    if (entry.report && isFinalInvocationState(entry.report.state)) {
      if (!entry.isSettled) void this.reportEntry(entry, entry.report);
      return;
    }
    if (entry.process) await killLeftoverGroup(entry.process);
    const lost = createLostChange(this.dependencies.clock.now());
    await this.changeReport(entry, { ...lost, ...(await this.countBytes(entry)) });
  }

  /** Returns how much an earlier run has stored of the outputs. */
  private async countBytes({ requestId }: InvocationEntry): Promise<InvocationChange> {
    const count = async (stream: OutputStreamName): Promise<number> => {
      const range = { offset: 0, limit: 0 };
      return (await this.dependencies.files.readOutput(requestId, stream, range).catch(() => null))?.totalBytes ?? 0;
    };
    return { stdoutBytes: await count('stdout'), stderrBytes: await count('stderr') };
  }
}

const createOutputNotFoundError = (): CommandError =>
  new CommandError('output_not_found', 'The device does not keep the output of this invocation.');
