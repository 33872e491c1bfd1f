import { ServerSentEventParser } from './sse-parser.ts';

const encode = (text: string) => new TextEncoder().encode(text);

const STREAM =
  '\uFEFF: comment\r\nid: 1\nevent: turn.ended\ndata: {"text":\r' +
  'data: "grüße 🎉"}\n\nretry: 1500\nretry: soon\nid: 2\ndata: second\r\n\r\n: keep-alive\n\ndata\n\nid: 3\ndata: unfinished';
const EVENTS = [
  { id: '1', type: 'turn.ended', data: '{"text":\n"grüße 🎉"}' },
  { id: '2', type: 'message', data: 'second' },
  { id: '2', type: 'message', data: '' },
];

describe('ServerSentEventParser', () => {
  it('reads the same events however the stream is split, inside of characters and line ends too', () => {
    const bytes = encode(STREAM);
    for (let size = 1; size <= bytes.length; size++) {
      const parser = new ServerSentEventParser();
      const events = [];
      for (let start = 0; start < bytes.length; start += size) {
        events.push(...parser.push(bytes.subarray(start, start + size)));
      }
      expect(events).toEqual(EVENTS);
      expect(parser.retryMs).toBe(1500);
    }
  });

  it('resumes after the last complete event, not after one that was cut off', () => {
    const parser = new ServerSentEventParser('0');
    expect(parser.lastEventId).toBe('0');
    parser.push(encode(STREAM));
    expect(parser.lastEventId).toBe('2');
  });
});
