import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RETAINED_BYTES, readRingFile, RingFileWriter } from './ring-file';

const MAX_WRITE_BYTES = 65_536;
const folder = mkdtempSync(join(tmpdir(), 'ring-file-'));
let serial = 0;
const createPath = () => join(folder, String(++serial));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns the bytes of a stream, each of which says where it is. */
function createStream(length: number, offset = 0): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index++) bytes[index] = ((offset + index) * 31) % 251;
  return bytes;
}

async function writeStream(retainedBytes: number, sizes: number[]): Promise<{ path: string; stream: Buffer }> {
  const path = createPath();
  const writer = await RingFileWriter.createFile(path, retainedBytes);
  const stream = createStream(sizes.reduce((sum, size) => sum + size, 0));
  let position = 0;
  for (const size of sizes) {
    await writer.appendBytes(stream.subarray(position, position + size));
    position += size;
  }
  expect(writer.totalBytes).toBe(stream.length);
  await writer.close();
  return { path, stream };
}

/** A generator of numbers that is the same in each run (mulberry32). */
function createRandom(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % max;
  };
}

describe('a ring file', () => {
  it('has no bytes at first, and only its owner can read it', async () => {
    const { path } = await writeStream(100, []);
    expect(await readRingFile(path, { offset: 0, limit: 10 }, 100)).toEqual({
      offset: 0,
      data: Buffer.alloc(0),
      totalBytes: 0,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is never opened for a second stream', async () => {
    const { path } = await writeStream(100, [5]);
    await expect(RingFileWriter.createFile(path, 100)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('keeps everything up to its size', async () => {
    const { path, stream } = await writeStream(100, [60, 40]);
    const { offset, data, totalBytes } = await readRingFile(path, { offset: 0, limit: 1_000 }, 100);
    expect([offset, totalBytes]).toEqual([0, 100]);
    expect(data).toEqual(stream);
  });

  it('answers an overwritten offset from the oldest kept byte', async () => {
    const { path, stream } = await writeStream(100, [60, 60]);
    const { offset, data } = await readRingFile(path, { offset: 19, limit: 10 }, 100);
    expect(offset).toBe(20);
    expect(data).toEqual(stream.subarray(20, 30));
  });

  it.each([100, 101, 1_000_000])('answers the offset %d, at or beyond the end, from the end', async (requested) => {
    const { path } = await writeStream(1_000, [100]);
    const { offset, data, totalBytes } = await readRingFile(path, { offset: requested, limit: 10 }, 1_000);
    expect([offset, data.length, totalBytes]).toEqual([100, 0, 100]);
  });

  it('never grows beyond its size', async () => {
    const { path } = await writeStream(
      1_000,
      Array.from({ length: 50 }, () => 10_000),
    );
    expect(statSync(path).size).toBe(8 + 1_000 + MAX_WRITE_BYTES);
  });

  it('takes chunks that are larger than the whole ring', async () => {
    const { path, stream } = await writeStream(500, [7, 3 * MAX_WRITE_BYTES + 11]);
    const { offset, data } = await readRingFile(path, { offset: 0, limit: 1_000 }, 500);
    expect(offset).toBe(stream.length - 500);
    expect(data).toEqual(stream.subarray(-500));
  });

  it.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    'returns the bytes at their offsets, whatever was written and read: series %d',
    async (seed) => {
      const random = createRandom(seed);
      const retainedBytes = 1 + random(200_000);
      const sizes = Array.from({ length: 1 + random(30) }, () => random(random(4) === 0 ? 150_000 : 5_000));
      const { path, stream } = await writeStream(retainedBytes, sizes);
      const oldest = Math.max(0, stream.length - retainedBytes);
      for (let count = 0; count < 40; count++) {
        const requested = random(stream.length + 10);
        const limit = 1 + random(70_000);
        const { offset, data, totalBytes } = await readRingFile(path, { offset: requested, limit }, retainedBytes);
        const expected = Math.min(Math.max(requested, oldest), stream.length);
        expect([offset, totalBytes]).toEqual([expected, stream.length]);
        expect(data.equals(stream.subarray(expected, expected + limit))).toBe(true);
      }
    },
  );

  it('returns whole writes only while it is written', async () => {
    const retainedBytes = 100_000;
    const path = createPath();
    const writer = await RingFileWriter.createFile(path, retainedBytes);
    let isWriting = true;
    const writing = (async () => {
      for (let position = 0; position < 40_000_000; position += 50_000)
        await writer.appendBytes(createStream(50_000, position));
      isWriting = false;
    })();
    let reads = 0;
    for (let offset = 0; isWriting; reads++) {
      const range = await readRingFile(path, { offset, limit: 30_000 }, retainedBytes);
      expect(range.data.equals(createStream(range.data.length, range.offset))).toBe(true);
      expect(range.offset).toBeGreaterThanOrEqual(offset);
      offset = range.offset + range.data.length;
    }
    await writing;
    await writer.close();
    expect(reads).toBeGreaterThan(0);
  }, 60_000);

  it.each([
    { appended: 90_000, expected: { offset: 90_000, length: 10_000 } },
    { appended: 150_000, expected: { offset: 150_000, length: 100_000 } },
  ])('leaves out what $appended more bytes overwrite during the read', async ({ appended, expected }) => {
    const retainedBytes = 100_000;
    const path = createPath();
    const writer = await RingFileWriter.createFile(path, retainedBytes);
    await writer.appendBytes(createStream(retainedBytes));
    const file = await open(path, 'r');
    const prototype = Object.getPrototypeOf(file) as { read: (...args: unknown[]) => Promise<unknown> };
    await file.close();
    const { read } = prototype;
    let reads = 0;
    const spy = jest.spyOn(prototype, 'read').mockImplementation(async function (this: unknown, ...args) {
      // The first read is that of the header.
      if (++reads === 2) await writer.appendBytes(createStream(appended, retainedBytes));
      return read.apply(this, args);
    });
    const range = await readRingFile(path, { offset: 0, limit: retainedBytes }, retainedBytes);
    spy.mockRestore();
    await writer.close();
    expect({ offset: range.offset, length: range.data.length }).toEqual(expected);
    expect(range.data.equals(createStream(expected.length, expected.offset))).toBe(true);
  });

  it('is an error when it is damaged or missing', async () => {
    const path = createPath();
    await expect(readRingFile(path, { offset: 0, limit: 1 })).rejects.toMatchObject({ code: 'ENOENT' });
    const header = Buffer.alloc(8);
    header.writeBigUInt64LE(BigInt(RETAINED_BYTES));
    writeFileSync(path, header);
    await expect(readRingFile(path, { offset: 0, limit: 1 })).rejects.toThrow('shorter');
  });
});
