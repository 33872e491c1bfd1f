import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAttachments } from './read-attachments.ts';

describe('the files of a message', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'attachments-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes files of these sizes and returns their paths. */
  const write = (...sizes: number[]) =>
    sizes.map((size, index) => {
      const path = join(folder, `${index}.bin`);
      writeFileSync(path, Buffer.alloc(size));
      return path;
    });

  it('are 8 at most', async () => {
    const paths = write(...Array.from({ length: 9 }, () => 1));
    expect(await readAttachments(paths.slice(1))).toHaveLength(8);
    await expect(readAttachments(paths)).rejects.toThrow('A message may have at most 8 files.');
  });

  it('have 716,800 bytes together at most', async () => {
    expect(await readAttachments(write(716_799, 1))).toHaveLength(2);
    await expect(readAttachments(write(716_799, 2))).rejects.toThrow('may have 716800 bytes together');
  });
});
