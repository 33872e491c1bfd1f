import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findSingleFile } from './program-files';

/** Its modules stay loaded from one command to the next. */
const PROGRAM = findSingleFile('admin');

/** Processes that wait for a command. Starting one takes several times as long as a command. */
const idleHosts: ChildProcess[] = [];
afterAll(() => {
  for (const host of idleHosts.splice(0)) host.disconnect();
});

/** Result of `npm run admin -- …`. */
export interface AdminResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the compiled program with exactly this environment. */
export function runAdminProgram(env: NodeJS.ProcessEnv, ...args: string[]): Promise<AdminResult> {
  return runAdminWithInput(env, '', ...args);
}

/** Runs it with this standard input, as for a leaked token. */
export async function runAdminWithInput(
  env: NodeJS.ProcessEnv,
  input: string,
  ...args: string[]
): Promise<AdminResult> {
  const host = idleHosts.pop() ?? fork(join(__dirname, 'admin-host.cjs'), { env: {}, execArgv: [] });
  const listening = new AbortController();
  const { signal } = listening;
  host.send({ main: PROGRAM, env, args, input });
  try {
    return await Promise.race([
      once(host, 'message', { signal }).then(([result]) => result as AdminResult),
      once(host, 'exit', { signal }).then(([code]) => ({ code: code as number | null, stdout: '', stderr: '' })),
    ]);
  } finally {
    listening.abort();
    if (host.exitCode === null && host.signalCode === null) idleHosts.push(host);
  }
}

/**
 * Returns the JSON output of the program.
 * @throws Error with its standard error if the exit code isn't 0
 */
export async function runAdminJson(env: NodeJS.ProcessEnv, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runAdminProgram(env, ...args);
  if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
