import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type * as Files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writePrivateFile } from './private-file';

/** Codes of the errors that these functions throw. */
const mockErrors: { open?: string; rename?: string; syncFolder?: string } = {};
jest.mock('node:fs/promises', () => {
  const actual = jest.requireActual<typeof Files>('node:fs/promises');
  const failIf = (code?: string) => (code ? Promise.reject(Object.assign(new Error(code), { code })) : undefined);
  return {
    ...actual,
    open: async (...args: Parameters<typeof Files.open>) => {
      await failIf(mockErrors.open);
      const file = await actual.open(...args);
      if (args[1] === 'r') file.sync = () => failIf(mockErrors.syncFolder) ?? Promise.resolve();
      return file;
    },
    rename: (...args: Parameters<typeof Files.rename>) => failIf(mockErrors.rename) ?? actual.rename(...args),
  };
});

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'private-file-'));
  path = join(folder, 'machine.json');
});
afterEach(() => {
  delete mockErrors.open;
  delete mockErrors.rename;
  delete mockErrors.syncFolder;
  rmSync(folder, { recursive: true });
});

it.each([
  ['an existing file', 'old text'],
  ["a file that doesn't exist yet", undefined],
])('follows a symbolic link to %s', async (_, old) => {
  mkdirSync(join(folder, 'dotfiles'));
  const target = join(folder, 'dotfiles', 'machine.json');
  if (old !== undefined) writeFileSync(target, old, { mode: 0o644 });
  symlinkSync('dotfiles/machine.json', path);
  await writePrivateFile(path, 'new text');
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new text');
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'dotfiles'))).toEqual(['machine.json']);
});

it("writes a file that can't be replaced in place, as a whole", async () => {
  writeFileSync(path, 'a text that is longer than the new one', { mode: 0o600 });
  mockErrors.rename = 'EBUSY';
  await writePrivateFile(path, 'new text');
  expect(readFileSync(path, 'utf8')).toBe('new text');
  expect(readdirSync(folder)).toEqual(['machine.json']);
});

it('says what to do in a folder that is read-only', async () => {
  mockErrors.open = 'EROFS';
  await expect(writePrivateFile(path, 'new text')).rejects.toThrow(
    `The file ${path} can't be written (EROFS). Copy it to a folder that this user can write to.`,
  );
});

it.each(['EINVAL', 'ENOTSUP'])('writes a file on a network drive, whose folders cannot be synced: %s', async (code) => {
  mockErrors.syncFolder = code;
  await writePrivateFile(path, 'new text');
  expect(readFileSync(path, 'utf8')).toBe('new text');
  expect(readdirSync(folder)).toEqual(['machine.json']);
  mockErrors.syncFolder = 'EIO';
  await expect(writePrivateFile(path, 'newer text')).rejects.toThrow('EIO');
});

it('writes a file with the longest name that a file system allows', async () => {
  path = join(folder, 'n'.repeat(255));
  await writePrivateFile(path, 'text');
  expect(readFileSync(path, 'utf8')).toBe('text');
});

it.each(['ENOSPC', 'EBUSY'])('leaves no unfinished file behind after %s', async (code) => {
  mockErrors.rename = code;
  await expect(writePrivateFile(path, 'a secret')).rejects.toThrow(code);
  expect(readdirSync(folder)).toEqual([]);
});
