import { execFile } from 'node:child_process';

const TIMEOUT_MS = 60_000;

export interface ToolResult {
  /** Null if the tool is missing or took too long. */
  status: number | null;
  stdout: string;
  /** What the tool says is wrong, in one line. */
  problem: string;
}

/** Runs a tool of the operating system to its end. Never throws. */
export function runTool(tool: string, ...args: string[]): Promise<ToolResult> {
  return new Promise((resolve) => {
    execFile(tool, args, { encoding: 'utf8', env: process.env, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      const { code } = (error ?? {}) as { code?: string | number };
      const [line = ''] = stderr.trim().split('\n', 1);
      const isMissing = code === 'ENOENT';
      const status = error ? (typeof code === 'number' ? code : null) : 0;
      resolve({ status, stdout, problem: isMissing ? `${tool} is not installed` : line || `${tool} failed` });
    });
  });
}
