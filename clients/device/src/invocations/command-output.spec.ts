import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { OutputPump } from './command-output';
import { readRingFile, RingFileWriter } from './ring-file';

const folder = mkdtempSync(join(tmpdir(), 'output-pump-'));
let serial = 0;
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function createPump() {
  const path = join(folder, String(++serial));
  const file = await RingFileWriter.createFile(path);
  const stream = new PassThrough();
  const problems: string[] = [];
  const stored: [number, string][] = [];
  const onStored = (offset: number, bytes: Buffer) => void stored.push([offset, bytes.toString()]);
  const pump = new OutputPump(stream, file, ({ message }) => problems.push(message), onStored);
  return { path, file, stream, pump, problems, stored };
}

describe('an output pump', () => {
  it('stores the stream and counts its bytes', async () => {
    const { path, stream, pump, stored } = await createPump();
    stream.write('one ');
    while (pump.byteCount === 0) await new Promise(setImmediate);
    stream.end('two');
    await pump.ended;
    expect(pump.byteCount).toBe(7);
    expect((await readRingFile(path, { offset: 0, limit: 100 })).data.toString()).toBe('one two');
    expect(stored).toEqual([
      [0, 'one '],
      [4, 'two'],
    ]);
  });

  it('ends with what it has stored when the stream is closed before its end', async () => {
    const { path, stream, pump, problems } = await createPump();
    stream.write('one');
    while (pump.byteCount === 0) await new Promise(setImmediate);
    stream.destroy();
    await pump.ended;
    expect((await readRingFile(path, { offset: 0, limit: 100 })).data.toString()).toBe('one');
    expect(problems).toEqual([]);
  });

  it('reads on when the file cannot be written, and says so once', async () => {
    const { file, stream, pump, problems, stored } = await createPump();
    jest.spyOn(file, 'appendBytes').mockRejectedValue(new Error('ENOSPC'));
    for (let count = 0; count < 5; count++) stream.write('text');
    stream.end();
    await pump.ended;
    expect(pump.byteCount).toBe(20);
    expect(problems).toEqual(['ENOSPC']);
    expect(stored).toEqual([]);
  });
});
