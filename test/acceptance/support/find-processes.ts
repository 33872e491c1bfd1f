import { spawnSync } from 'node:child_process';

/** Returns the command lines of the processes that contain a text. */
export function findProcesses(text: string): string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(text));
}
