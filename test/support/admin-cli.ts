import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { BUILD } from './service-process';

/** How `npm run admin -- …` ended. */
export interface AdminEnding {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** The compiled program, with exactly the environment given. */
export function admin(env: NodeJS.ProcessEnv, ...args: string[]): Promise<AdminEnding> {
  const child = spawn(process.execPath, [join(BUILD, 'src', 'admin', 'main.js'), ...args], { env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

/** What it answers as JSON. @throws Error with what it said unless it ended well */
export async function adminJson(env: NodeJS.ProcessEnv, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await admin(env, ...args);
  if (code !== 0) throw new Error(`admin ${args.join(' ')}: ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
