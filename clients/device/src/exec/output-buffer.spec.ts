import { randomBytes } from 'node:crypto';
import { OutputBuffer } from './output-buffer';

const LIMIT = 1024;

function captureChunks(chunks: (string | Buffer)[], limit = LIMIT) {
  const buffer = new OutputBuffer(limit);
  for (const chunk of chunks) buffer.writeChunk(Buffer.from(chunk));
  return buffer.readOutput();
}

const OMISSION_MARKER = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/;

describe('OutputBuffer', () => {
  it('keeps everything up to the limit', () => {
    expect(captureChunks([])).toEqual({ text: '', truncated: false, bytes: 0 });
    const text = 'x'.repeat(LIMIT);
    expect(captureChunks([text])).toEqual({ text, truncated: false, bytes: LIMIT });
    expect(captureChunks([...text])).toEqual({ text, truncated: false, bytes: LIMIT });
  });

  it.each([1, 7, 511, 512, 513, 1024, 5000, 100_000])(
    'keeps head and tail of chunks of %i bytes and counts the rest',
    (size) => {
      const all = Buffer.from(randomBytes(50_000).toString('hex'));
      const chunks: Buffer[] = [];
      for (let at = 0; at < all.length; at += size) chunks.push(all.subarray(at, at + size));
      const { text, truncated, bytes } = captureChunks(chunks);
      const [head = '', leftOut = '', tail = ''] = text.split(OMISSION_MARKER);
      expect({ truncated, bytes }).toEqual({ truncated: true, bytes: all.length });
      expect(text.length).toBeLessThanOrEqual(LIMIT);
      expect(head.length).toBeGreaterThan(400);
      expect(tail.length).toBeGreaterThan(400);
      expect(all.toString().startsWith(head)).toBe(true);
      expect(all.toString().endsWith(tail)).toBe(true);
      expect(Number(leftOut)).toBe(all.length - head.length - tail.length);
    },
  );

  it('is over by one byte', () => {
    expect(captureChunks(['x'.repeat(LIMIT + 1)])).toMatchObject({ truncated: true, bytes: LIMIT + 1 });
  });

  it.each(['é', '€', '🙂'])('never cuts %s in two', (character) => {
    for (let shift = 0; shift < 4; shift++) {
      const { text } = captureChunks(['a'.repeat(shift), character.repeat(2000)]);
      expect(text).not.toContain('\ufffd');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
    }
  });

  it('puts characters together that two chunks share', () => {
    const euro = Buffer.from('€');
    expect(captureChunks([euro.subarray(0, 1), euro.subarray(1)]).text).toBe('€');
  });

  it('stays under the limit with bytes that are no UTF-8, although each is replaced by three', () => {
    for (const size of [LIMIT / 2, LIMIT, LIMIT * 50]) {
      const { text, truncated, bytes } = captureChunks([Buffer.alloc(size, 0xff)]);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LIMIT);
      expect({ truncated, bytes }).toEqual({ truncated: true, bytes: size });
    }
  });

  it('stays under five times the limit in JSON', () => {
    const { text } = captureChunks([Buffer.alloc(LIMIT, 1)]);
    expect(JSON.stringify(text).length).toBeLessThanOrEqual(LIMIT * 5);
  });
});
