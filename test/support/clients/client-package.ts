import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');

/** Programs of Node.js that run the client. TEST_NODE_BINARIES names others, separated by colons. */
export const NODE_BINARIES = (process.env.TEST_NODE_BINARIES ?? process.execPath).split(':');

/** Packs a folder of `clients/` as for a release and returns the file. */
export function packClient(name: string, checkout = ROOT): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-tarball-'));
  runNpm(join(checkout, 'clients', name), 'pack', '--silent', '--pack-destination', folder);
  return join(folder, readdirSync(folder)[0]!);
}

/** Installs a packed client into an empty folder, without a registry. */
export function installClient(tarball: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'client-user-'));
  writeFileSync(join(folder, 'package.json'), '{"name": "user", "private": true}');
  runNpm(folder, 'install', '--offline', '--no-audit', '--no-fund', tarball);
  return folder;
}

function runNpm(cwd: string, ...args: string[]): string {
  // `npm test` passes its own settings on, of which one disables scripts.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Folder of a project that has installed the client. */
export const getClientFolder = () => process.env.TEST_CLIENT_FOLDER!;

export interface ProgramOptions {
  /** Program of Node.js. */
  node?: string;
  env?: NodeJS.ProcessEnv;
}

/** A process that runs a program with the installed client. */
export class ClientProgram {
  readonly #child;
  /** JSON values of the lines that the program has printed. */
  readonly lines: any[] = [];
  readonly exited: Promise<{ code: number | null; stderr: string }>;

  /**
   * @param code body of a module. It has `client`, `print(value)`, and what the package exports. BASE_URL and TOKEN of
   * `env` configure the client, and OPTIONS its other options as JSON.
   */
  constructor(code: string, { node = NODE_BINARIES[0]!, env = {} }: ProgramOptions = {}) {
    const program = `
      import * as api from '@external-api/client';
      const { ExternalApiClient, ApiError, WaitTimeoutError, oauthToken, webhooks } = api;
      const { BASE_URL: baseUrl, TOKEN: token, OPTIONS = '{}' } = process.env;
      const print = (value) => console.log(JSON.stringify(value ?? null));
      const describe = (error) => ({ ...error, name: error.name, message: error.message });
      const client = new ExternalApiClient({ baseUrl, token, ...JSON.parse(OPTIONS) });
      ${code}`;
    this.#child = spawn(node, ['--input-type=module', '-e', program], {
      cwd: getClientFolder(),
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    let rest = '';
    this.#child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    this.#child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.lines.push(JSON.parse(line));
    });
    this.exited = new Promise((resolve) => this.#child.once('close', (code) => resolve({ code, stderr })));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Runs a program to its end and returns what it has printed. */
export async function runProgram(code: string, options?: ProgramOptions): Promise<any[]> {
  const program = new ClientProgram(code, options);
  const { code: status, stderr } = await program.exited;
  if (status !== 0) throw new Error(`status ${status}: ${stderr}`);
  return program.lines;
}
