import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { BUILD_FOLDER } from './ensure-service-built';

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
export function runAdminWithInput(env: NodeJS.ProcessEnv, input: string, ...args: string[]): Promise<AdminResult> {
  const child = spawn(process.execPath, [join(BUILD_FOLDER, 'src', 'programs', 'admin', 'main.js'), ...args], { env });
  child.stdin.on('error', () => undefined).end(input);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
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
