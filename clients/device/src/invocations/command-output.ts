import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import type { OutputStreamName } from '@external-api/protocol';
import type { RingFileWriter } from './ring-file';

/** Output is complete when both streams are silent for this time after the end. Daemons may keep them open forever. */
const SILENCE_MS = 250;

export type OutputFiles = Record<OutputStreamName, RingFileWriter>;

/** Where the output of a command goes. */
export interface OutputTarget {
  files: OutputFiles;
  /** Called when a file can't be written. */
  onProblem: (error: Error) => void;
  /** Called with bytes that are in the file now. Must return at once and never throw. */
  onStored: (stream: OutputStreamName, offset: number, bytes: Buffer) => void;
}

/**
 * Copies an output stream of a command to its file. Reads no faster than it writes, so that memory stays constant and
 * the command waits when the disk is slow. Without a writable file it still reads, so that the command goes on.
 */
export class OutputPump {
  /** Bytes that the command has written, stored or not. */
  byteCount = 0;
  /** Resolves when the stream has ended or was closed, and everything is written. */
  readonly ended: Promise<void>;
  private isWriting = false;
  private isFailed = false;

  constructor(
    private readonly stream: Readable,
    private readonly file: RingFileWriter,
    private readonly onProblem: (error: Error) => void,
    private readonly onStored: (offset: number, bytes: Buffer) => void,
  ) {
    this.ended = this.copyStream();
  }

  /** Whether bytes are being written that were read before. */
  get isBusy(): boolean {
    return this.isWriting;
  }

  private async copyStream(): Promise<void> {
    try {
      for await (const chunk of this.stream) await this.storeChunk(chunk as Buffer);
    } catch {
      // The stream was closed before its end.
    } finally {
      await this.file.close().catch(this.onProblem);
    }
  }

  private async storeChunk(chunk: Buffer): Promise<void> {
    const offset = this.byteCount;
    this.byteCount += chunk.length;
    if (this.isFailed) return;
    this.isWriting = true;
    try {
      await this.file.appendBytes(chunk);
      this.onStored(offset, chunk);
    } catch (error) {
      this.isFailed = true;
      this.onProblem(error as Error);
    } finally {
      this.isWriting = false;
    }
  }
}

/** Both output streams of a command on their way to their files. */
export class CommandOutput {
  private readonly stdout: OutputPump;
  private readonly stderr: OutputPump;

  constructor(streams: Record<OutputStreamName, Readable | null>, target: OutputTarget) {
    const createPump = (name: OutputStreamName): OutputPump =>
      new OutputPump(streams[name]!, target.files[name], target.onProblem, (offset, bytes) =>
        target.onStored(name, offset, bytes),
      );
    this.stdout = createPump('stdout');
    this.stderr = createPump('stderr');
  }

  get byteCounts(): { stdoutBytes: number; stderrBytes: number } {
    return { stdoutBytes: this.stdout.byteCount, stderrBytes: this.stderr.byteCount };
  }

  /** Resolves when both streams have ended or were closed, and everything is written. */
  async waitForEnd(): Promise<void> {
    await Promise.all([this.stdout.ended, this.stderr.ended]);
  }

  /** Waits until the streams have ended or are silent, for `maxMs` at most. */
  async waitForSilence(maxMs: number): Promise<void> {
    const ended = this.waitForEnd().then(() => true);
    const deadline = performance.now() + maxMs;
    for (let count = this.countBytes(); ; count = this.countBytes()) {
      if (await Promise.race([ended, sleep(SILENCE_MS, false)])) return;
      // After a delay of this process, timers run before the pipes are read.
      await yieldToEventLoop();
      const isSilent = this.countBytes() === count && !this.stdout.isBusy && !this.stderr.isBusy;
      if (isSilent || performance.now() >= deadline) return;
    }
  }

  private countBytes(): number {
    return this.stdout.byteCount + this.stderr.byteCount;
  }
}
