import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { computeCpuUs, listProcessTree, readThreadTimes, subtractThreadTimes } from './process-cpu';

const isLinux = platform() === 'linux';
const describeOnLinux = isLinux ? describe : describe.skip;
if (!isLinux) process.stderr.write('Skipped: CPU times of processes. They need /proc of Linux.\n');

describe('subtractThreadTimes', () => {
  it('counts a thread that has started since the first reading from zero', () => {
    const before = new Map([['1/1', { runNs: 5_000, waitNs: 100 }]]);
    const after = new Map([
      ['1/1', { runNs: 8_000, waitNs: 300 }],
      ['1/2', { runNs: 4_000, waitNs: 50 }],
    ]);
    expect(subtractThreadTimes(before, after)).toEqual([
      { runNs: 3_000, waitNs: 200 },
      { runNs: 4_000, waitNs: 50 },
    ]);
    expect(computeCpuUs(before, after)).toBe(7);
  });

  it('leaves out a thread that has ended', () => {
    expect(subtractThreadTimes(new Map([['1/1', { runNs: 5_000, waitNs: 0 }]]), new Map())).toEqual([]);
  });
});

describeOnLinux('readThreadTimes', () => {
  it('counts the work of a process', () => {
    const before = readThreadTimes([process.pid]);
    const { user, system } = process.cpuUsage();
    for (let i = 0; process.cpuUsage().user + process.cpuUsage().system - user - system < 20_000; i++) Math.sqrt(i);
    expect(computeCpuUs(before, readThreadTimes([process.pid]))).toBeGreaterThan(15_000);
  });

  it('fails if none of the processes is running', () => {
    expect(() => readThreadTimes([2 ** 30])).toThrow('running processes');
  });
});

describeOnLinux('listProcessTree', () => {
  it('returns the process, its children and their children', async () => {
    const parent = spawn('bash', ['-c', 'bash -c "sleep 60 & echo started; wait" & wait'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    try {
      await once(parent.stdout, 'data');
      expect(listProcessTree(parent.pid!)).toHaveLength(3);
    } finally {
      process.kill(-parent.pid!, 'SIGKILL');
    }
  });
});
