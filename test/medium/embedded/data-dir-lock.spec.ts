import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder, removeFolders } from '../../support/data-folder';
import { LockContender } from '../../support/lock-contender';

const CONTENDERS = 10;
const ROUNDS = 20;

/** Freezes it a few milliseconds from now, for longer than any settling time would allow for. */
async function pauseSomewhere(contender: LockContender): Promise<void> {
  await sleep(Math.random() * 12);
  contender.signal('SIGSTOP');
  await sleep(40 + Math.random() * 100);
  contender.signal('SIGCONT');
}

describe('the lock of a data folder, between processes', () => {
  let contenders: LockContender[];
  beforeAll(async () => {
    contenders = await Promise.all(Array.from({ length: CONTENDERS }, () => LockContender.start()));
  });
  afterAll(async () => {
    await Promise.all(contenders.map((contender) => contender.kill()));
    removeFolders();
  });

  async function expectOneHolder(dir: string): Promise<LockContender> {
    const answers = await Promise.all(contenders.map((contender) => contender.acquire(dir)));
    expect([...answers].sort()).toEqual([...Array.from({ length: CONTENDERS - 1 }, () => 'DataDirInUseError'), 'done']);
    return contenders[answers.indexOf('done')]!;
  }

  it('has one holder when ten processes ask at once', async () => {
    for (let round = 0; round < ROUNDS; round++) await expectOneHolder(join(newFolder(), 'data'));
  });

  it('has one holder when ten processes find what a killed one left', async () => {
    const dirs = Array.from({ length: ROUNDS }, () => newFolder());
    const dead = await LockContender.start();
    for (const dir of dirs) expect(await dead.acquire(dir)).toBe('done');
    await dead.kill();
    for (const dir of dirs) await expectOneHolder(dir);
  });

  it('never has two, however long each one pauses on its way', async () => {
    const dirs = Array.from({ length: ROUNDS }, () => newFolder());
    const dead = await LockContender.start();
    for (const dir of dirs) await dead.acquire(dir);
    await dead.kill();
    for (const dir of dirs) {
      const answers = Promise.all(contenders.map((contender) => contender.acquire(dir)));
      await Promise.all(contenders.map((contender) => pauseSomewhere(contender)));
      expect((await answers).filter((answer) => answer === 'done').length).toBeLessThanOrEqual(1);
    }
  });

  it('passes on when its holder lets it go, again and again', async () => {
    const dir = newFolder();
    for (let round = 0; round < ROUNDS; round++) {
      const holder = await expectOneHolder(dir);
      expect(await holder.release(dir)).toBe('done');
    }
    expect(readdirSync(dir)).toEqual([]);
  });

  it('stays with a holder that is stopped', async () => {
    const dir = newFolder();
    const holder = await LockContender.start();
    expect(await holder.acquire(dir)).toBe('done');
    holder.signal('SIGSTOP');
    expect(await contenders[0]!.acquire(dir)).toBe('DataDirInUseError');
    await holder.kill();
    expect(await contenders[0]!.acquire(dir)).toBe('done');
  });

  it('is taken over many times in a row, each time from one that was killed', async () => {
    const dir = newFolder();
    for (let round = 0; round < 5; round++) {
      const holder = await LockContender.start();
      expect(await holder.acquire(dir)).toBe('done');
      expect(await contenders[0]!.acquire(dir)).toBe('DataDirInUseError');
      await holder.kill();
    }
    expect(await contenders[0]!.acquire(dir)).toBe('done');
  });
});
