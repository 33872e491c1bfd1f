import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTempFolder } from '../../support/temp-folder';
import { LockContender } from '../../support/lock-contender';

const CONTENDERS = 10;
const ROUNDS = 20;

/** Freezes the process in a few ms, for longer than any grace period. */
async function pauseSomewhere(contender: LockContender): Promise<void> {
  await sleep(Math.random() * 12);
  contender.sendSignal('SIGSTOP');
  await sleep(40 + Math.random() * 100);
  contender.sendSignal('SIGCONT');
}

describe('the lock of a data folder, between processes', () => {
  let contenders: LockContender[];
  /** Contenders of one test, some suspended: they would neither exit nor release their locks. */
  const ownContenders: LockContender[] = [];
  beforeAll(async () => {
    contenders = await Promise.all(Array.from({ length: CONTENDERS }, () => LockContender.start()));
  });
  afterEach(() => Promise.all(ownContenders.splice(0).map((contender) => contender.killProcess())));
  afterAll(() => Promise.all(contenders.map((contender) => contender.killProcess())));

  async function startContender(): Promise<LockContender> {
    const contender = await LockContender.start();
    ownContenders.push(contender);
    return contender;
  }

  async function expectOneHolder(dir: string): Promise<LockContender> {
    const answers = await Promise.all(contenders.map((contender) => contender.acquireLock(dir)));
    expect([...answers].sort()).toEqual([...Array.from({ length: CONTENDERS - 1 }, () => 'DataDirInUseError'), 'done']);
    return contenders[answers.indexOf('done')]!;
  }

  it('has one holder when ten processes compete', async () => {
    for (let round = 0; round < ROUNDS; round++) await expectOneHolder(join(createTempFolder(), 'data'));
  });

  it('has one holder when ten processes compete after a killed one', async () => {
    const dirs = Array.from({ length: ROUNDS }, () => createTempFolder());
    const dead = await startContender();
    for (const dir of dirs) expect(await dead.acquireLock(dir)).toBe('done');
    await dead.killProcess();
    for (const dir of dirs) await expectOneHolder(dir);
  });

  it('never has two holders, even if processes pause at any point', async () => {
    const dirs = Array.from({ length: ROUNDS }, () => createTempFolder());
    const dead = await startContender();
    for (const dir of dirs) await dead.acquireLock(dir);
    await dead.killProcess();
    for (const dir of dirs) {
      const answers = Promise.all(contenders.map((contender) => contender.acquireLock(dir)));
      await Promise.all(contenders.map((contender) => pauseSomewhere(contender)));
      expect((await answers).filter((answer) => answer === 'done').length).toBeLessThanOrEqual(1);
    }
  });

  it('passes to another process whenever its holder releases it', async () => {
    const dir = createTempFolder();
    for (let round = 0; round < ROUNDS; round++) {
      const holder = await expectOneHolder(dir);
      expect(await holder.releaseLock(dir)).toBe('done');
    }
    expect(readdirSync(dir)).toEqual([]);
  });

  it('stays with a suspended holder', async () => {
    const dir = createTempFolder();
    const holder = await startContender();
    expect(await holder.acquireLock(dir)).toBe('done');
    holder.sendSignal('SIGSTOP');
    expect(await contenders[0]!.acquireLock(dir)).toBe('DataDirInUseError');
    await holder.killProcess();
    expect(await contenders[0]!.acquireLock(dir)).toBe('done');
  });

  it('is taken over repeatedly from killed holders', async () => {
    const dir = createTempFolder();
    for (let round = 0; round < 5; round++) {
      const holder = await startContender();
      expect(await holder.acquireLock(dir)).toBe('done');
      expect(await contenders[0]!.acquireLock(dir)).toBe('DataDirInUseError');
      await holder.killProcess();
    }
    expect(await contenders[0]!.acquireLock(dir)).toBe('done');
  });
});
