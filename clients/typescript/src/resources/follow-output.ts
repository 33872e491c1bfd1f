import { ApiError } from '../errors.ts';
import type { ServerSentEvent } from '../events/sse-parser.ts';
import { parseJson } from '../http/response.ts';
import type { Invocation } from '../types.ts';
import { decodeBase64 } from './content.ts';

/** A part of what a command has written. */
export interface OutputChunk {
  stream: 'stdout' | 'stderr';
  /** Greater than the requested one if the device no longer has the bytes between. */
  offset: number;
  bytes: Uint8Array;
}

export interface OutputPage extends OutputChunk {
  nextOffset: number;
  totalBytes: number;
  /** Whether the command has ended and has written nothing more. */
  eof: boolean;
}

type StreamName = OutputChunk['stream'];
type OutputReader = (request: { stream: StreamName; offset: number; limit?: number }) => Promise<OutputPage>;

const STREAMS: readonly StreamName[] = ['stdout', 'stderr'];
const MAX_PAGE_BYTES = 262_144;

/**
 * Joins the live output of a command with what the device keeps: what was written before the stream was opened, what
 * the stream has dropped, and the end.
 */
export async function* followOutput(
  events: AsyncIterable<ServerSentEvent>,
  readOutput: OutputReader,
): AsyncGenerator<OutputChunk, void> {
  const positions = { stdout: 0, stderr: 0 };

  /** Reads up to a position, or up to the present end. */
  async function* readUntil(stream: StreamName, end: number): AsyncGenerator<OutputChunk, void> {
    while (positions[stream] < end) {
      const limit = Math.min(MAX_PAGE_BYTES, end - positions[stream]);
      const page = await readOutput({ stream, offset: positions[stream], limit });
      if (page.bytes.length > 0) yield { stream, offset: page.offset, bytes: page.bytes };
      // Positions of a defective machine, which must not keep the reader for ever.
      if (!(page.nextOffset > positions[stream])) return;
      positions[stream] = page.nextOffset;
      if (page.nextOffset >= page.totalBytes) return;
    }
  }

  for await (const { type, data } of events) {
    if (type === 'stream.opened') {
      for (const stream of STREAMS) yield* ignoreAbsence(readUntil(stream, Infinity));
    } else if (type === 'invocation.ended') {
      const record = (parseJson(data) as { data: Invocation }).data;
      if (record.state === 'lost') return;
      for (const stream of STREAMS) yield* readUntil(stream, record[`${stream}Bytes`]);
      return;
    } else if (type === 'output') {
      const { stream, offset, data: text } = parseJson(data) as { stream: StreamName; offset: number; data: string };
      // What follows a gap that can't be read now is read later, together with the gap.
      if (!(yield* ignoreAbsence(readUntil(stream, offset)))) continue;
      const whole = decodeBase64(text);
      const bytes = whole.subarray(Math.max(0, positions[stream] - offset));
      if (bytes.length === 0) continue;
      positions[stream] = offset + whole.length;
      yield { stream, offset: positions[stream] - bytes.length, bytes };
    }
  }
}

/** Returns false if the machine is away, which has nothing to read. */
async function* ignoreAbsence(chunks: AsyncIterable<OutputChunk>): AsyncGenerator<OutputChunk, boolean> {
  try {
    yield* chunks;
    return true;
  } catch (error) {
    const isAbsent = error instanceof ApiError && error.outcome !== undefined && error.outcome !== 'answered';
    if (!isAbsent) throw error;
    return false;
  }
}
