/** One event of a stream, or a change of the reconnection time, by the HTML standard's server-sent events. */
export interface ServerSentEvent {
  /** The last ID that the stream has sent, with this event or before it. */
  id: string | undefined;
  type: string;
  data: string;
}

/**
 * Parses `text/event-stream`. Chunks may be split anywhere, also inside of characters and line ends. An event is
 * complete at its empty line; the rest of a stream that ends before it is dropped.
 */
export class ServerSentEventParser {
  /** The reconnection time that the stream asks for, in milliseconds. */
  retryMs: number | undefined;
  /** ID to resume after. It counts only once the event that has it is complete. */
  lastEventId: string | undefined;
  // The decoder also drops a leading byte order mark.
  readonly #decoder = new TextDecoder();
  #text = '';
  #id: string | undefined;
  #type = '';
  #data: string[] = [];

  constructor(lastEventId?: string) {
    this.lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  push(chunk: Uint8Array): ServerSentEvent[] {
    this.#text += this.#decoder.decode(chunk, { stream: true });
    const events: ServerSentEvent[] = [];
    const lineEnd = /\r\n|\n|\r/g;
    let start = 0;
    for (let match = lineEnd.exec(this.#text); match; match = lineEnd.exec(this.#text)) {
      // A carriage return at the end of a chunk may be the first half of a line end.
      if (match[0] === '\r' && lineEnd.lastIndex === this.#text.length) break;
      const event = this.#readLine(this.#text.slice(start, match.index));
      if (event) events.push(event);
      start = lineEnd.lastIndex;
    }
    this.#text = this.#text.slice(start);
    return events;
  }

  #readLine(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#complete();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#type = value;
    else if (field === 'data') this.#data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
    return undefined;
  }

  #complete(): ServerSentEvent | undefined {
    this.lastEventId = this.#id;
    const event = { id: this.#id, type: this.#type || 'message', data: this.#data.join('\n') };
    const isEmpty = this.#data.length === 0;
    this.#type = '';
    this.#data = [];
    return isEmpty ? undefined : event;
  }
}
