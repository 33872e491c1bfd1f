import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createDeviceState } from './device-state';
import { FileKeyStore } from './file-key-store';
import { generateDeviceKeys } from './keys';

const folder = mkdtempSync(join(tmpdir(), 'key-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = join(folder, 'config', 'deep', 'machine.json');
const file = new FileKeyStore(path);
const state = createDeviceState('machine', 'http://localhost:3000', generateDeviceKeys());

describe('KeyFile', () => {
  it('is not there at first', async () => expect(await file.loadState('machine')).toBeUndefined());

  it('gives back what was saved', async () => {
    await file.saveState(state);
    expect(await file.loadState('machine')).toEqual(state);
  });

  it.each([0, 0o277])('is readable for its owner only with the umask %o, and leaves no copies', async (mask) => {
    const own = join(folder, `umask-${mask}`);
    const umask = process.umask(mask);
    await new FileKeyStore(join(own, 'machine.json')).saveState(state).finally(() => process.umask(umask));
    expect(statSync(join(own, 'machine.json')).mode & 0o777).toBe(0o600);
    expect(statSync(own).mode & 0o777).toBe(0o700);
    expect(readdirSync(own)).toEqual(['machine.json']);
  });

  it('is replaced as a whole', async () => {
    const before = statSync(path).ino;
    await Promise.all([1, 2, 3].map((n) => file.saveState({ ...state, deviceId: `dev_${n}` })));
    expect(statSync(path).ino).not.toBe(before);
    expect(JSON.parse(readFileSync(path, 'utf8')).deviceId).toMatch(/^dev_[123]$/);
    expect(readdirSync(join(folder, 'config', 'deep'))).toEqual(['machine.json']);
  });

  it('is not written again with what it contains', async () => {
    const stored = (await file.loadState('machine'))!;
    const before = statSync(path).ino;
    await file.saveState(stored);
    expect(statSync(path).ino).toBe(before);
  });

  it.each([0o640, 0o604, 0o660, 0o610])('is refused with mode %o, with the line that helps', async (mode) => {
    chmodSync(path, mode);
    await expect(file.loadState('machine')).rejects.toThrow(`chmod 600 '${path}'`);
    chmodSync(path, 0o600);
  });

  it('is refused for the other kind of device', async () => {
    await expect(file.loadState('account')).rejects.toThrow('belongs to a device of the kind machine, not account');
  });

  it('is refused when it is something else', async () => {
    for (const content of ['', 'null', '{}', '[]', '{"version":1,"url":"x","kind":"machine"}']) {
      const other = join(folder, 'other.json');
      writeFileSync(other, content, { mode: 0o600 });
      await expect(new FileKeyStore(other).loadState('machine')).rejects.toThrow('cannot be used');
    }
  });

  it('shows nothing of its keys when it is damaged', async () => {
    const other = join(folder, 'other.json');
    writeFileSync(other, '{"token": SECRET', { mode: 0o600 });
    const error: unknown = await new FileKeyStore(other).loadState('machine').catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: 9, showHidden: true })).toContain('cannot be used: it is not valid JSON.');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('SECRET');
  });
});
