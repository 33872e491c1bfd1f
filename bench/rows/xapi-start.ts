import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installClient, packClient } from '../../test/support/clients/client-package';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';

const execFileAsync = promisify(execFile);
const RUNS = 10;

/** Start of the command line, which scripts pay for at each call. */
export const xapiStartRow: BenchmarkRow = {
  name: 'xapi-start',
  figure: 'CPU time of xapi --version, as installed',
  against: 'node -e 0',
  unit: 'ms',
  ratioGoal: { atMost: 1.5 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const tarball = packClient();
      benchCleanup.add(createFolderCleanup(dirname(tarball)));
      const folder = installClient(tarball);
      benchCleanup.add(createFolderCleanup(folder));
      const xapi = join(folder, 'node_modules', '.bin', 'xapi');
      const measured = () => measureCpuMs(xapi, '--version');
      const peer = () => measureCpuMs(process.execPath, '-e', '0');
      await measured();
      await peer();
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

function createFolderCleanup(folder: string) {
  return { stop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })) };
}

/** Returns the CPU time of one run in ms, the mean of several: user and system time of the shell's children. */
async function measureCpuMs(...command: string[]): Promise<number> {
  const script = `TIMEFORMAT='%U %S'; time for ((n = 0; n < ${RUNS}; n++)); do "$@" >/dev/null 2>&1; done`;
  const { stderr } = await execFileAsync('bash', ['-ec', script, 'bash', ...command]);
  const [user, system] = stderr.trim().split(/\s+/).slice(-2).map(Number);
  return ((user! + system!) * 1_000) / RUNS;
}
