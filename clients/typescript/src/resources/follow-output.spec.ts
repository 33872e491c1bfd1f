import { ApiError } from '../errors.ts';
import type { ServerSentEvent } from '../events/sse-parser.ts';
import { followOutput, type OutputPage } from './follow-output.ts';

const toEvent = (type: string, data: object): ServerSentEvent => ({ id: undefined, type, data: JSON.stringify(data) });
const OPENED = toEvent('stream.opened', {});
const output = (offset: number, text: string) => toEvent('output', { stream: 'stdout', offset, data: btoa(text) });
const ended = (state: string, stdoutBytes: number) =>
  toEvent('invocation.ended', { data: { state, stdoutBytes, stderrBytes: 0 } });

describe('the output of a command that is followed', () => {
  /** What the device keeps of standard output. undefined: it is away. */
  let kept: string | undefined;
  let reads: number;

  const readOutput = ({ stream, offset, limit = Infinity }: { stream: string; offset: number; limit?: number }) => {
    reads++;
    if (kept === undefined)
      return Promise.reject(
        new ApiError({ status: 503, code: 'no_online_device', message: 'x', outcome: 'not_delivered' }),
      );
    const text = stream === 'stdout' ? kept : '';
    const bytes = new TextEncoder().encode(text.slice(offset, offset + limit));
    const page = { stream, offset, bytes, nextOffset: offset + bytes.length, totalBytes: text.length, eof: false };
    return Promise.resolve(page as OutputPage);
  };

  async function follow(...events: (ServerSentEvent | (() => void))[]): Promise<string[]> {
    // oxlint-disable-next-line require-await
    async function* toStream() {
      for (const event of events) {
        if (typeof event === 'function') event();
        else yield event;
      }
    }
    const texts: string[] = [];
    for await (const { offset, bytes } of followOutput(toStream(), readOutput))
      texts.push(`${offset} ${new TextDecoder().decode(bytes)}`);
    return texts;
  }

  beforeEach(() => {
    kept = '';
    reads = 0;
  });

  it('has each byte once where parts of the stream overlap, arrive twice or are missing', async () => {
    kept = 'ab';
    const texts = await follow(
      OPENED,
      output(0, 'abc'),
      output(0, 'abc'),
      () => (kept = 'abcdefgh'),
      output(5, 'f'),
      ended('completed', 8),
    );
    expect(texts).toEqual(['0 ab', '2 c', '3 de', '5 f', '6 gh']);
  });

  it('has what was written while its machine was away', async () => {
    kept = undefined;
    expect(await follow(OPENED, () => (kept = 'abc'), ended('completed', 3))).toEqual(['0 abc']);
  });

  it('has what the stream has dropped as soon as its machine, which was away, can be read again', async () => {
    const texts = await follow(
      OPENED,
      output(0, 'ab'),
      () => (kept = undefined),
      output(4, 'ef'),
      () => (kept = 'abcdefgh'),
      output(6, 'gh'),
      ended('completed', 8),
    );
    expect(texts).toEqual(['0 ab', '2 cdef', '6 gh']);
  });

  it('ends when the command is lost, without a request to its machine', async () => {
    kept = undefined;
    expect(await follow(OPENED, () => (reads = 0), ended('lost', 3))).toEqual([]);
    expect(reads).toBe(0);
  });
});
