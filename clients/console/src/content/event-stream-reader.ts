/** Event of a stream (docs/protocol/event-streams.md#format). */
export interface StreamEvent {
  /** Cursor; null for live output, which is not stored. */
  cursor: string | null;
  type: string;
  /** Undefined if only the cursor has moved. */
  data: unknown;
}

/** More than the service writes for one event. */
const MAX_BUFFER_LENGTH = 4 * 1_048_576;
/** The service sends a comment every 15 s. After a longer silence the connection is dead, as after sleep. */
const SILENCE_TIMEOUT_MS = 40_000;

/**
 * Reads server-sent events from the body of a response. `EventSource` can't do that, because it can't send the CSRF
 * token.
 * @param onSilence called when nothing, not even a comment, has arrived for 40 s
 * @throws Error if the connection breaks, or an event is longer than any of the service
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onSilence: () => void,
): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let buffer = '';
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      clearTimeout(silenceTimer);
      silenceTimer = setTimeout(onSilence, SILENCE_TIMEOUT_MS);
      const { done, value } = await reader.read();
      if (done) return;
      buffer += value;
      const blocks = buffer.split('\n\n');
      buffer = blocks.pop() ?? '';
      if (buffer.length > MAX_BUFFER_LENGTH) throw new Error('An event is too long.');
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    clearTimeout(silenceTimer);
    await reader.cancel().catch(() => undefined);
  }
}

/** Returns null for a comment. */
function parseEvent(block: string): StreamEvent | null {
  let cursor: string | null = null;
  let type = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const separator = line.indexOf(':');
    const name = separator === -1 ? line : line.slice(0, separator);
    const value = separator === -1 ? '' : line.slice(separator + 1).replace(/^ /, '');
    if (name === 'id') cursor = value;
    else if (name === 'event') type = value;
    else if (name === 'data') data.push(value);
  }
  if (data.length === 0) return cursor === null ? null : { cursor, type, data: undefined };
  return { cursor, type, data: JSON.parse(data.join('\n')) as unknown };
}
