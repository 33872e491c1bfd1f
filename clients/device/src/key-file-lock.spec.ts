import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../../test/support/wait-for';
import { identifyProcess } from './exec/process-identity';
import { findKeyFileHolder, KeyFileInUseError, KeyFileLock } from './key-file-lock';

const QUICK = { beatMs: 40, watchMs: 600 };

let folder: string;
let keyFile: string;
let lockFile: string;
let child: ChildProcess | undefined;
const locks: KeyFileLock[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'key-file-lock-'));
  keyFile = join(folder, 'ä b', 'machine.json');
  lockFile = `${keyFile}.lock`;
});
afterEach(() => {
  locks.splice(0).forEach((lock) => lock.release());
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

async function acquire(file = keyFile, options: object = QUICK): Promise<KeyFileLock> {
  const lock = await KeyFileLock.acquire(file, options);
  locks.push(lock);
  return lock;
}

/** Leaves the lock of another process, with the members of this process's one that aren't given. */
async function leaveLock(holder: object): Promise<string> {
  rmSync(lockFile, { force: true });
  const lock = await KeyFileLock.acquire(keyFile);
  const text = JSON.stringify({ ...JSON.parse(readFileSync(lockFile, 'utf8')), id: 'another', ...holder });
  lock.release();
  writeFileSync(lockFile, text);
  return text;
}

async function startProcess() {
  child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  return (await identifyProcess(child.pid!))!;
}

it('is held by one process, which others are told, until it is released', async () => {
  const lock = await acquire();
  expect(statSync(lockFile).mode & 0o777).toBe(0o600);
  // The first start of a machine writes it before the key file.
  expect(statSync(dirname(lockFile)).mode & 0o777).toBe(0o700);
  const refused = acquire();
  await expect(refused).rejects.toThrow(KeyFileInUseError);
  await expect(refused).rejects.toThrow(`is in use by process ${process.pid} on `);
  expect(await findKeyFileHolder(keyFile)).toMatchObject({ pid: process.pid, isSeen: true });
  lock.release();
  expect(existsSync(lockFile)).toBe(false);
  expect(await findKeyFileHolder(keyFile)).toBeUndefined();
  await acquire();
});

it('is another one for another key file of the same folder', async () => {
  await acquire();
  await acquire(join(folder, 'ä b', 'other.json'));
});

it('is acquired by exactly one of many that start at the same moment, also after a process that died', async () => {
  const dead = await startProcess();
  child!.kill('SIGKILL');
  await once(child!, 'exit');
  await leaveLock(dead);
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => acquire()));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await sleep(3 * QUICK.beatMs);
  await expect(Promise.race([locks[0]!.lost, sleep(100, 'held')])).resolves.toBe('held');
  expect(readdirSync(join(folder, 'ä b'))).toEqual(['machine.json.lock']);
});

it('is held by a process that runs, and not by another one with its number', async () => {
  const identity = await startProcess();
  await leaveLock(identity);
  await expect(acquire()).rejects.toThrow(`process ${identity.pid}`);
  await leaveLock({ ...identity, startedAt: `${identity.startedAt}1` });
  expect(await findKeyFileHolder(keyFile)).toBeUndefined();
  await acquire();
});

it('is taken over from a process that was killed and whose parent has not noticed', async () => {
  // The parent stops before it can wait for its child.
  child = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const pid = Number(String(line));
  await leaveLock((await identifyProcess(pid))!);
  process.kill(pid, 'SIGKILL');
  await waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '));
  await acquire();
});

describe('of another host', () => {
  const holder = { pid: 4711, host: 'ada-laptop', scope: 'another boot' };

  it('is held while it is touched, and names the host', async () => {
    await leaveLock(holder);
    const onWatch = jest.fn();
    const timer = setInterval(() => writeFileSync(lockFile, readFileSync(lockFile)), 100);
    const refused = acquire(keyFile, { ...QUICK, onWatch });
    await expect(refused).rejects.toThrow('is in use by process 4711 on ada-laptop');
    clearInterval(timer);
    expect(onWatch).toHaveBeenCalledWith(expect.objectContaining(holder), QUICK.watchMs);
    expect(await findKeyFileHolder(keyFile)).toMatchObject({ host: 'ada-laptop', isSeen: false });
  });

  it('is taken over if nothing touches it', async () => {
    await leaveLock(holder);
    await acquire();
    expect(JSON.parse(readFileSync(lockFile, 'utf8'))).toMatchObject({ pid: process.pid });
  });
});

it('is touched by its holder', async () => {
  await acquire();
  const { mtimeMs } = statSync(lockFile);
  await waitFor(() => expect(statSync(lockFile).mtimeMs).toBeGreaterThan(mtimeMs));
});

it('is missed by a holder that slept while another process took it, which keeps it', async () => {
  const lock = await acquire();
  const text = JSON.stringify({ ...JSON.parse(readFileSync(lockFile, 'utf8')), id: 'another', pid: 4711, host: 'b' });
  writeFileSync(lockFile, text);
  await expect(lock.lost).rejects.toMatchObject({
    name: 'DeviceReplacedError',
    message: expect.stringContaining('4711 on b'),
  });
  lock.release();
  expect(readFileSync(lockFile, 'utf8')).toBe(text);
});

it('is written again if somebody deletes it', async () => {
  await acquire();
  rmSync(lockFile);
  await waitFor(() => expect(readFileSync(lockFile, 'utf8')).toContain('"pid"'));
  await expect(acquire()).rejects.toThrow(KeyFileInUseError);
});

it.each(['', '{"pid":', '[]'])('that a crash has left as %j is taken over', async (text) => {
  mkdirSync(join(folder, 'ä b'));
  writeFileSync(lockFile, text);
  await acquire();
});

it('that cannot be read is an error that names it', async () => {
  mkdirSync(lockFile, { recursive: true });
  await expect(acquire()).rejects.toThrow(`The lock ${lockFile} can't be read (EISDIR).`);
});

it('that cannot be written is an error that names it', async () => {
  writeFileSync(join(folder, 'file'), '');
  const inFile = join(folder, 'file', 'machine.json');
  await expect(acquire(inFile)).rejects.toThrow(`The lock ${inFile}.lock can't be written (EEXIST).`);
});
