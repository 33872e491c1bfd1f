import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { waitFor } from '../wait-for';
import { getClientFolder } from './client-package';

/** The command as an installed package offers it. */
export const getXapiPath = () => join(getClientFolder(), 'node_modules', '.bin', 'xapi');

export interface XapiExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

/** Environment of the processes of a test. Nothing of the test's own environment but the path reaches them. */
export type XapiEnv = Record<string, string>;

/** A process of the command. */
export class XapiProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<XapiExit>;
  readonly #out: Buffer[] = [];
  readonly #err: Buffer[] = [];

  constructor(args: readonly string[], env: XapiEnv, input?: string) {
    this.child = spawn(getXapiPath(), args, { env: { PATH: process.env.PATH, ...env } });
    this.child.stdout!.on('data', (chunk: Buffer) => this.#out.push(chunk));
    this.child.stderr!.on('data', (chunk: Buffer) => this.#err.push(chunk));
    // A program that has ended reads no input.
    this.child.stdin!.on('error', () => undefined).end(input);
    this.exited = new Promise((resolve) =>
      this.child.once('close', (code, signal) => resolve({ code, signal, out: this.out, err: this.err })),
    );
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#out);
  }

  get out(): string {
    return this.bytes.toString();
  }

  get err(): string {
    return Buffer.concat(this.#err).toString();
  }

  async waitForOutput(text: string): Promise<void> {
    await waitFor(() => expect(this.out + this.err).toContain(text), 30_000);
  }
}

export function runXapi(args: readonly string[], env: XapiEnv, input?: string): Promise<XapiExit> {
  return new XapiProcess(args, env, input).exited;
}

/** Runs a command to success and returns its JSON. */
export async function readJson(args: readonly string[], env: XapiEnv, input?: string): Promise<any> {
  const { code, out, err } = await runXapi([...args, '--json'], env, input);
  if (code !== 0) throw new Error(`exit code ${code}: ${err}`);
  return JSON.parse(out);
}

/**
 * Runs a shell command with `script` on a terminal of this width. As soon as `prompt` is shown, answers with the input,
 * or does what `onPrompt` does with the text so far.
 */
export async function runOnTerminal(
  command: string,
  env: XapiEnv,
  {
    columns = 80,
    prompt,
    input = '',
    onPrompt,
    dialogue = [],
  }: {
    columns?: number;
    prompt?: string;
    input?: string;
    onPrompt?: (text: string) => Promise<void>;
    /** Prompts and what is typed after each. */
    dialogue?: readonly (readonly [prompt: string, input: string])[];
  } = {},
): Promise<{ code: number | null; text: string }> {
  const PATH = `${join(getClientFolder(), 'node_modules', '.bin')}:${process.env.PATH}`;
  const child = spawn('script', ['-qec', `stty cols ${columns} -echo; ${command}`, '/dev/null'], {
    env: { TERM: 'xterm-256color', ...env, PATH },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (prompt) {
    await waitFor(() => expect(text).toContain(prompt), 30_000);
    if (onPrompt) await onPrompt(text.replaceAll('\r\n', '\n'));
    else child.stdin.write(input);
  }
  let readLength = 0;
  for (const [asked, typed] of dialogue) {
    await waitFor(() => expect(text.slice(readLength)).toContain(asked), 30_000);
    readLength = text.length;
    child.stdin.write(typed);
  }
  return { code: await exited, text: text.replaceAll('\r\n', '\n') };
}
