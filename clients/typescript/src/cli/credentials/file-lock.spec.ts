import { spawnSync } from 'node:child_process';
import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withFileLock } from './file-lock.ts';

describe('the lock of the file of logins', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'external-api-lock-'));
    path = join(folder, 'lock');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lets one process work at a time', async () => {
    let running = 0;
    const work = async () => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    };
    await Promise.all([1, 2, 3].map(() => withFileLock(path, work)));
    expect(existsSync(path)).toBe(false);
  });

  it('is there on a file system without hard links as well', async () => {
    const link = jest.spyOn(fs, 'linkSync').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    let running = 0;
    const work = async () => {
      expect(readdirSync(folder)).toEqual(['lock']);
      expect(++running).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    };
    await Promise.all([1, 2, 3].map(() => withFileLock(path, work))).finally(() => link.mockRestore());
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is taken over from a process that was killed', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(path, `${pid} killed`);
    expect(await withFileLock(path, () => readFileSync(path, 'utf8'))).toMatch(new RegExp(`^${process.pid} `));
  });

  it('is removed by one process at a time after that, so that none removes the lock of the next one', async () => {
    const { pid } = spawnSync('true');
    writeFileSync(path, `${pid} killed`);
    // Another process removes it, and has not yet done so.
    writeFileSync(`${path}.killed.stale`, '');
    const waiting = withFileLock(path, () => readdirSync(folder));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(readFileSync(path, 'utf8')).toBe(`${pid} killed`);
    rmSync(`${path}.killed.stale`);
    expect(await waiting).toEqual(['lock']);
  });

  it('is free again after work that has failed', async () => {
    const failed = withFileLock(path, () => Promise.reject(new Error('full disk')));
    await expect(failed).rejects.toThrow('full disk');
    expect(existsSync(path)).toBe(false);
  });
});
