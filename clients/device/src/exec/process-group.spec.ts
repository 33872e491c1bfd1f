import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../testing/served-machine';
import { ProcessGroup } from './process-group';
import { isRunning, identifyProcess } from './process-identity';

let parent: ChildProcess | undefined;
afterEach(() => parent?.kill('SIGKILL'));

/** Starts the leader of a group whose parent never waits for it, as process 1 of a container. */
async function startAbandonedGroup(script: string): Promise<number> {
  parent = spawn('sh', ['-c', `setsid sh -c '${script}' & echo $!; exec sleep 60`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return Number(String((await once(parent.stdout!, 'data'))[0]));
}

async function waitForEnd(pid: number): Promise<void> {
  const identity = (await identifyProcess(pid))!;
  for (const deadline = Date.now() + 10_000; await isRunning(identity); await sleep(10))
    if (Date.now() > deadline) throw new Error('The process still runs.');
}

(process.platform === 'linux' ? describe : describe.skip)('a group that its parent never removes', () => {
  it('is not alive when all of its processes have ended', async () => {
    const pid = await startAbandonedGroup('sleep 0.3');
    const group = new ProcessGroup(pid);
    await waitUntil(() => group.isAlive());
    await waitForEnd(pid);
    expect(group.sendSignal(0)).toBe(true);
    expect(group.isAlive()).toBe(false);
    group.unregisterGroup();
  });

  it('is alive as long as another process of it runs', async () => {
    const pid = await startAbandonedGroup('sleep 60 & sleep 0.3');
    const group = new ProcessGroup(pid);
    await waitForEnd(pid);
    expect(group.isAlive()).toBe(true);
    // It doesn't wait for its 30 s, in which the test would have failed, nor for the end of the process.
    await group.terminateGroup(30_000);
    expect(group.isAlive()).toBe(false);
    group.unregisterGroup();
  });
});
