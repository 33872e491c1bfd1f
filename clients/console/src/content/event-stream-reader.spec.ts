import { readEvents, type StreamEvent } from './event-stream-reader';

/** Body of a response that arrives in these pieces. */
const bodyOf = (...pieces: (string | Uint8Array)[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? Buffer.from(piece) : piece);
      controller.close();
    },
  });

describe('events of a stream', () => {
  const read = async (...pieces: (string | Uint8Array)[]) => {
    const events: StreamEvent[] = [];
    for await (const event of readEvents(bodyOf(...pieces), () => undefined)) events.push(event);
    return events;
  };

  it('have a cursor, a type and data, wherever the network cuts them', async () => {
    const text = 'id: c1\nevent: session.ended\ndata: {"data":{"id":"ses_é"}}\n\nevent: delta\ndata: {"n":0}\n\n';
    const bytes = Buffer.from(text);
    const expected = [
      { cursor: 'c1', type: 'session.ended', data: { data: { id: 'ses_é' } } },
      { cursor: null, type: 'delta', data: { n: 0 } },
    ];
    for (let at = 1; at < bytes.length; at++) {
      expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(expected);
    }
  });

  it('have no data at the end of a stream, and comments and unfinished events are none', async () => {
    const events = await read(': ping\n\nretry: 1000\nid: c2\n\n', 'event: session.ended\ndata: {}\n');
    expect(events).toEqual([{ cursor: 'c2', type: 'message', data: undefined }]);
  });

  it('come from a connection that is dead after 40 s of silence; comments break it', async () => {
    jest.useFakeTimers();
    try {
      const onSilence = jest.fn();
      let send!: (text: string) => void;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          send = (text) => controller.enqueue(Buffer.from(text));
        },
      });
      const events = readEvents(body, onSilence);
      const next = events.next();
      await jest.advanceTimersByTimeAsync(39_000);
      send(': ping\n\n');
      await jest.advanceTimersByTimeAsync(39_000);
      expect(onSilence).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1_500);
      expect(onSilence).toHaveBeenCalledTimes(1);
      send('data: {}\n\n');
      expect((await next).value).toEqual({ cursor: null, type: 'message', data: {} });
      await events.return(undefined);
    } finally {
      jest.useRealTimers();
    }
  });

  it('end with an error if one is longer than any of the service', async () => {
    await expect(read('data: ', Buffer.alloc(5 * 1_048_576, 'a'))).rejects.toThrow('too long');
  });
});
