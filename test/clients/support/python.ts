import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { waitFor } from '../../support/wait-for';
import type { ProcessExit } from '../../support/service-process';

const CLIENT_FOLDER = join(__dirname, '..', '..', '..', 'clients', 'python');
const PRELUDE = `
import json, os, sys
from external_api import *
client = Client(os.environ["HOST_URL"], os.environ["TOKEN"])
def show(value):
    print(json.dumps(value), flush=True)
`;

/** Process of `python3` with a script that uses the Python client. */
export class PythonProcess {
  readonly exited: Promise<ProcessExit>;
  private stdout = '';
  private readonly child: ChildProcess;

  constructor(script: string, env: NodeJS.ProcessEnv) {
    const flags = ['-W', 'error', '-B', '-c', PRELUDE + script];
    this.child = spawn('python3', flags, { env: { PATH: process.env.PATH, PYTHONPATH: CLIENT_FOLDER, ...env } });
    let stderr = '';
    this.child.stdout!.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    this.exited = new Promise((resolve) =>
      this.child.once('close', (code, signal) => resolve({ code, signal, stdout: this.stdout, stderr })),
    );
  }

  /** Values that the script has shown, one for each complete line. */
  get values(): any[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }

  /** Waits until the script has shown values that pass the check. Fails at once if it has failed. */
  async waitForValues(check: (values: any[]) => void, withinMs = 30_000): Promise<void> {
    const failed = this.exited.then(({ code, stderr }) => {
      if (code !== 0) throw new Error(`python3 exited with ${code}: ${stderr}`);
    });
    await Promise.race([waitFor(() => check(this.values), withinMs), failed.then(() => this.exited)]);
    check(this.values);
  }

  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<ProcessExit> {
    this.child.kill(signal);
    return this.exited;
  }
}

/** Runs a script to its end and returns the values that it has shown. */
export async function runPython(script: string, env: NodeJS.ProcessEnv): Promise<any[]> {
  const python = new PythonProcess(script, env);
  const { code, stderr } = await python.exited;
  if (code !== 0 || stderr !== '') throw new Error(`python3 exited with ${code}: ${stderr}`);
  return python.values;
}
