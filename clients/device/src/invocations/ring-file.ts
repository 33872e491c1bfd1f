import { open, type FileHandle } from 'node:fs/promises';

/** Bytes of a stream that a file keeps (docs/protocol/invocations.md#output). */
export const RETAINED_BYTES = 4 * 1_048_576;

/** Bytes that one write overwrites at most, so that it touches none of the kept bytes before it has ended. */
const MAX_WRITE_BYTES = 65_536;
/** The number of bytes written so far, as a 64-bit integer. */
const HEADER_BYTES = 8;

/** Bytes of a stream from `offset` on. */
export interface RingFileRange {
  /** Position of the first byte in everything that was written. */
  offset: number;
  data: Buffer;
  totalBytes: number;
}

/**
 * Writes a stream to a file of constant size, which keeps its newest bytes. Each write stores its bytes first and then
 * their number, so that a reader and a restart see complete writes only.
 */
export class RingFileWriter {
  private written = 0;
  private readonly capacity: number;

  private constructor(
    private readonly file: FileHandle,
    retainedBytes: number,
  ) {
    this.capacity = retainedBytes + MAX_WRITE_BYTES;
  }

  /** Creates a file that only its owner can read. @throws Error EEXIST, ENOSPC */
  static async createFile(path: string, retainedBytes = RETAINED_BYTES): Promise<RingFileWriter> {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.chmod(0o600);
      const writer = new RingFileWriter(file, retainedBytes);
      await writer.writeHeader();
      return writer;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get totalBytes(): number {
    return this.written;
  }

  /** Must not be called again before it has resolved. @throws Error ENOSPC */
  async appendBytes(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length; start += MAX_WRITE_BYTES) {
      const piece = bytes.subarray(start, start + MAX_WRITE_BYTES);
      const position = this.written % this.capacity;
      const bytesUntilEnd = Math.min(piece.length, this.capacity - position);
      await writeFully(this.file, piece.subarray(0, bytesUntilEnd), HEADER_BYTES + position);
      await writeFully(this.file, piece.subarray(bytesUntilEnd), HEADER_BYTES);
      this.written += piece.length;
      await this.writeHeader();
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }

  private async writeHeader(): Promise<void> {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeBigUInt64LE(BigInt(this.written));
    await writeFully(this.file, header, 0);
  }
}

/**
 * Reads up to `limit` bytes from `offset` on, also while the file is written. Where older bytes were overwritten, the
 * range begins with the oldest kept one; an offset beyond the end becomes the end.
 * @throws Error ENOENT
 */
export async function readRingFile(
  path: string,
  { offset, limit }: { offset: number; limit: number },
  retainedBytes = RETAINED_BYTES,
): Promise<RingFileRange> {
  const file = await open(path, 'r');
  try {
    for (;;) {
      const totalBytes = await readHeader(file);
      const start = Math.min(Math.max(offset, totalBytes - retainedBytes), totalBytes);
      const data = await readBytes(file, start, Math.min(limit, totalBytes - start), retainedBytes + MAX_WRITE_BYTES);
      // Writes in the meantime may have overwritten the beginning.
      const oldest = (await readHeader(file)) - retainedBytes;
      if (oldest < start + data.length || data.length === 0) {
        const skipped = Math.max(0, oldest - start);
        return { offset: start + skipped, data: data.subarray(skipped), totalBytes };
      }
    }
  } finally {
    await file.close();
  }
}

async function readHeader(file: FileHandle): Promise<number> {
  const header = Buffer.alloc(HEADER_BYTES);
  await readFully(file, header, 0);
  return Number(header.readBigUInt64LE());
}

async function readBytes(file: FileHandle, start: number, length: number, capacity: number): Promise<Buffer> {
  const data = Buffer.alloc(length);
  const position = start % capacity;
  const bytesUntilEnd = Math.min(length, capacity - position);
  await readFully(file, data.subarray(0, bytesUntilEnd), HEADER_BYTES + position);
  await readFully(file, data.subarray(bytesUntilEnd), HEADER_BYTES);
  return data;
}

async function readFully(file: FileHandle, target: Buffer, position: number): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await file.read(target, done, target.length - done, position + done);
    if (bytesRead === 0) throw new Error('The file of an output is shorter than its header says.');
    done += bytesRead;
  }
}

async function writeFully(file: FileHandle, source: Buffer, position: number): Promise<void> {
  for (let done = 0; done < source.length;) {
    const { bytesWritten } = await file.write(source, done, source.length - done, position + done);
    done += bytesWritten;
  }
}
