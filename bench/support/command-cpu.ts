import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);
const RUNS = 10;

/** Returns the CPU time of one run in ms, the mean of several: user and system time of the shell's children. */
export async function measureCommandCpuMs(...command: string[]): Promise<number> {
  const script = `TIMEFORMAT='%U %S'; time for ((n = 0; n < ${RUNS}; n++)); do "$@" >/dev/null 2>&1; done`;
  const { stderr } = await execFileAsync('bash', ['-ec', script, 'bash', ...command]);
  const [user, system] = stderr.trim().split(/\s+/).slice(-2).map(Number);
  return ((user! + system!) * 1_000) / RUNS;
}
