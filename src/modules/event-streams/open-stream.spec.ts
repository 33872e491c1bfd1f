import { createStream } from './testing/stream-fixture';

const MIB = 1_048_576;

describe('an open stream', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** Creates the stream of a client that has not read this many bytes. */
  const createUnread = (bytes: number) => {
    const created = createStream();
    created.response.isReading = false;
    created.stream.write('x'.repeat(bytes));
    return created;
  };

  it('disconnects a client that leaves more than 1 MiB unread, and not one that leaves 1 MiB', () => {
    const { stream, response } = createUnread(MIB);
    expect(response.destroyed).toBe(false);
    stream.write('x');
    expect(response.destroyed).toBe(true);
    stream.write('y');
    expect(response.text).toHaveLength(MIB + 1);
  });

  it('counts bytes, not characters', () => {
    const { stream, response } = createUnread(0);
    stream.write('€'.repeat(MIB / 3 + 1));
    expect(response.destroyed).toBe(true);
  });

  it('drops live events of a client that has more than 256 KiB unread, and does not disconnect it', () => {
    const { stream, response } = createUnread(MIB / 4);
    expect(stream.writeLiveEvent('output', '{}')).toBe(true);
    expect(stream.writeLiveEvent('output', '{}')).toBe(false);
    expect(response.text.endsWith('xevent: output\ndata: {}\n\n')).toBe(true);
    expect(response.destroyed).toBe(false);
  });

  it('writes each event in lines that no reader splits', () => {
    const { stream, response } = createUnread(0);
    stream.writeLiveEvent('delta', JSON.stringify({ content: 'a\u2028b\u2029c\u0085d' }));
    expect(response.text).toBe('event: delta\ndata: {"content":"a\\u2028b\\u2029c\\u0085d"}\n\n');
  });

  it('disconnects a client that reads nothing between two comments', () => {
    const { stream, response } = createUnread(20_000);
    stream.writeComment(1);
    expect(response.destroyed).toBe(false);
    stream.writeComment(2);
    expect(response.destroyed).toBe(true);
  });

  it('keeps a client that reads a little between two comments, or is only shortly behind', () => {
    const slow = createUnread(50_000);
    for (let n = 0; n < 3; n++) {
      slow.stream.writeComment(n);
      slow.response.writableLength -= 4;
    }
    expect(slow.response.destroyed).toBe(false);

    const behindTwice = createUnread(20_000);
    behindTwice.stream.writeComment(1);
    behindTwice.response.writableLength = 0;
    behindTwice.stream.writeComment(2);
    behindTwice.stream.write('x'.repeat(20_000));
    behindTwice.stream.writeComment(3);
    expect(behindTwice.response.destroyed).toBe(false);
  });

  it('ends with the time after which to reconnect, and the present cursor', () => {
    const { stream, response } = createStream();
    stream.end('cursor');
    expect(response.text).toBe('retry: 1000\nid: cursor\n\n');
  });

  it('without a place ends with the time alone', () => {
    const { stream, response } = createStream();
    stream.end('');
    expect(response.text).toBe('retry: 1000\n\n');
  });

  it('sends nothing at or after an end from which the client must not resume', () => {
    const { stream, response } = createStream();
    stream.end(null);
    stream.write('x');
    stream.writeComment(1);
    stream.end('cursor');
    expect(stream.writeLiveEvent('output', '{}')).toBe(false);
    expect(response.text).toBe('');
  });

  it('disconnects a client that has not read all within 5 s after the end', () => {
    const { stream, response } = createUnread(1);
    stream.end('cursor');
    jest.advanceTimersByTime(4_999);
    expect(response.destroyed).toBe(false);
    jest.advanceTimersByTime(1);
    expect(response.destroyed).toBe(true);
  });

  it('of a revoked caller drops what was written and not yet sent', () => {
    const unread = createUnread(1);
    unread.stream.revoke();
    expect(unread.response.destroyed).toBe(true);
    const read = createStream();
    read.stream.revoke();
    expect(read.response).toMatchObject({ writableEnded: true, text: '' });
  });

  it('can be written until its client falls behind', () => {
    const { stream, response } = createUnread(16_383);
    expect(stream.canWrite).toBe(true);
    stream.write('x');
    expect(stream.canWrite).toBe(false);
    response.writableLength = 0;
    expect(stream.canWrite).toBe(true);
    stream.end(null);
    expect(stream.canWrite).toBe(false);
  });
});
