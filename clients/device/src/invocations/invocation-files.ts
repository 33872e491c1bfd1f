import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { REPORTED_INVOCATION_STATES, type InvocationReport, type OutputStreamName } from '@external-api/protocol';
import type { ProcessIdentity } from '../exec/process-identity';
import { writePrivateFile } from '../private-file';
import { hashId, loadPrivateFiles } from '../private-folder';
import type { OutputFiles } from './command-output';
import { readRingFile, RingFileWriter, type RingFileRange } from './ring-file';

const FILE_NAME_PATTERN = /^[0-9a-f]{32}\.json$/;
const OUTPUT_NAME_PATTERN = /^([0-9a-f]{32})\.std(?:out|err)$/;

/** An invocation as it survives a restart of the device. Contains neither the command nor its arguments. */
export interface InvocationEntry {
  /** Id of the relayed call that began the invocation. */
  requestId: string;
  /** Unix ms in server time. The request can't arrive again later. */
  deadline: number;
  /** Unix ms in server time. */
  createdAt: number;
  /** The leader of the process group, once the command has started. */
  process: ProcessIdentity | null;
  /** Newest state; null before the command has started. */
  report: InvocationReport | null;
  /** Whether the service has stored or rejected the end. */
  isSettled: boolean;
}

/** Files of invocations in a folder that only its owner can read: a state and two outputs for each. */
export class InvocationFiles {
  /** @param isTemporary whether {@link close} deletes the folder */
  constructor(
    private readonly folder: string,
    private readonly isTemporary = false,
  ) {}

  /** Returns the invocations of earlier runs, oldest first. Deletes outputs without a state, which nobody can read. */
  async loadEntries(onProblem: (problem: string) => void): Promise<InvocationEntry[]> {
    const files = await loadPrivateFiles(this.folder, FILE_NAME_PATTERN, parseEntry, onProblem);
    await this.deleteStrayOutputs();
    return files.map(({ value }) => value).sort((a, b) => a.createdAt - b.createdAt);
  }

  /** Writes a state atomically. Resolves once it survives a restart. @throws Error ENOSPC */
  saveEntry(entry: InvocationEntry): Promise<void> {
    return writePrivateFile(this.getPath(entry.requestId, 'json'), JSON.stringify(entry));
  }

  /** Creates the files of both outputs. @throws Error ENOSPC */
  async createOutput(requestId: string): Promise<OutputFiles> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const stdout = await RingFileWriter.createFile(this.getPath(requestId, 'stdout'));
    try {
      return { stdout, stderr: await RingFileWriter.createFile(this.getPath(requestId, 'stderr')) };
    } catch (error) {
      await stdout.close();
      throw error;
    }
  }

  /** @throws Error ENOENT if the output is no longer kept */
  readOutput(
    requestId: string,
    stream: OutputStreamName,
    range: { offset: number; limit: number },
  ): Promise<RingFileRange> {
    return readRingFile(this.getPath(requestId, stream), range);
  }

  async deleteOutput(requestId: string): Promise<void> {
    await rm(this.getPath(requestId, 'stdout'), { force: true });
    await rm(this.getPath(requestId, 'stderr'), { force: true });
  }

  deleteEntry(requestId: string): Promise<void> {
    return rm(this.getPath(requestId, 'json'), { force: true });
  }

  async close(): Promise<void> {
    if (this.isTemporary) await rm(this.folder, { recursive: true, force: true });
  }

  private async deleteStrayOutputs(): Promise<void> {
    const names = new Set(await readdir(this.folder).catch(() => []));
    for (const name of names) {
      // The names of other files stay as they are.
      const stateName = name.replace(OUTPUT_NAME_PATTERN, '$1.json');
      if (!names.has(stateName)) await rm(join(this.folder, name), { force: true }).catch(() => undefined);
    }
  }

  private getPath(requestId: string, extension: 'json' | OutputStreamName): string {
    return join(this.folder, `${hashId(requestId)}.${extension}`);
  }
}

function parseEntry(text: string): InvocationEntry {
  const entry = JSON.parse(text) as InvocationEntry;
  const { requestId, deadline, createdAt, report } = entry;
  const isComplete = typeof requestId === 'string' && [deadline, createdAt].every(Number.isSafeInteger);
  const isReport =
    report === null || (REPORTED_INVOCATION_STATES.includes(report?.state) && Number.isSafeInteger(report.revision));
  if (!isComplete || !isReport) throw new Error('The file is not an invocation.');
  return entry;
}
