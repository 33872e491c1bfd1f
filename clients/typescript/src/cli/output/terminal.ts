import { once } from 'node:events';
import type { ErrorDescription } from '../describe-error.ts';
import { decodeText } from '../utf8-text.ts';
import { breakWord, formatFields, formatTable, wrapText, type Column } from './text-layout.ts';
import { hideCredentials, toJsonLine, toVisibleLine, toVisibleText } from './visible-text.ts';

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type TextStyle = keyof typeof STYLES;

/** Input and output of the program. Results go to standard output, everything else to standard error. */
export class Terminal {
  /** Whether results are JSON. Nothing else is then written to standard output. */
  isJson = false;
  readonly #output = process.stdout;
  readonly #errors = process.stderr;
  #hasColor = !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  #hasStatus = false;

  disableColor(): void {
    this.#hasColor = false;
  }

  get isOutputTerminal(): boolean {
    return this.#output.isTTY === true;
  }

  /** Whether a person can be asked. */
  get isInteractive(): boolean {
    return process.stdin.isTTY === true && this.#errors.isTTY === true;
  }

  /** Columns of the output; infinite if it is not a terminal. */
  get width(): number {
    if (!this.#output.isTTY) return Infinity;
    return this.#output.columns || Number(process.env.COLUMNS) || 80;
  }

  /** Colours a text of standard output. A value that this release does not know has no style. */
  style(style: TextStyle | undefined, text: string): string {
    return style && this.#hasColor && this.#output.isTTY ? `\x1b[${STYLES[style]}m${text}\x1b[0m` : text;
  }

  writeLine(text = ''): void {
    this.clearStatus();
    this.#output.write(`${text}\n`);
  }

  /** Returns a text of somebody else for one line: a terminal obeys none of its characters. */
  show(text: string): string {
    return toVisibleLine(text);
  }

  /** Returns a text of somebody else with its line breaks. */
  showText(text: string): string {
    return toVisibleText(text);
  }

  /** Writes an address to standard error, unbroken so that it can be opened. */
  writeAddress(label: string, address: string): void {
    this.writeNotice(label);
    this.#errors.write(`${toVisibleLine(address)}\n`);
  }

  /** Writes lines that break between words at the width of the terminal. */
  writeParagraph(text: string, indent = ''): void {
    this.writeLine(wrapText(text, this.width, indent));
  }

  writeJson(value: unknown): void {
    this.writeLine(toJsonLine(value));
  }

  writeTable(columns: readonly Column[], rows: readonly (readonly string[])[]): void {
    const table = formatTable(columns, rows, this.width);
    const [header = '', ...lines] = table.split('\n');
    const isBlocks = rows.length > 0 && !columns.every(({ title, priority }) => priority || header.includes(title));
    this.writeLine(isBlocks ? table : [this.style('dim', header), ...lines].join('\n'));
  }

  writeFields(pairs: readonly (readonly [string, string])[]): void {
    this.writeLine(formatFields(pairs, this.width));
  }

  /** Writes bytes unchanged, and waits while the reader is slow. */
  async writeBytes(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void> {
    this.clearStatus();
    const target = stream === 'stdout' ? this.#output : this.#errors;
    // The reader may close the pipe meanwhile, which the program reacts to elsewhere.
    if (!target.destroyed) await new Promise<void>((resolve) => target.write(bytes, () => resolve()));
  }

  /** Writes advice, warnings and errors to standard error, without credentials. Indented commands are not broken. */
  writeNotice(text: string): void {
    this.clearStatus();
    const width = this.#errors.isTTY ? this.#errors.columns || 80 : Infinity;
    const lines = toVisibleText(hideCredentials(text)).split('\n');
    this.#errors.write(`${lines.map((line) => (line.startsWith('  ') ? line : wrapText(line, width))).join('\n')}\n`);
  }

  /** Writes a failure: a sentence and the way out, or one line of JSON. */
  writeError({ message, hint, ...more }: ErrorDescription): void {
    if (this.isJson) {
      const error = { ...more, message, hint };
      this.clearStatus();
      this.#errors.write(`${hideCredentials(toJsonLine({ error }))}\n`);
      return;
    }
    const reference = more.requestId && more.code === 'internal_error' ? ` (${more.requestId})` : '';
    this.writeNotice(`error: ${message}${reference}${hint ? `\n${hint}` : ''}`);
  }

  /** Shows what the program waits for, in one line that later output replaces. Does nothing without a terminal. */
  showStatus(text: string): void {
    if (!this.#errors.isTTY || process.env.TERM === 'dumb') return;
    const [line = ''] = breakWord(toVisibleText(text), (this.#errors.columns || 80) - 1);
    this.#errors.write(`\r${line}\x1b[K`);
    this.#hasStatus = true;
  }

  clearStatus(): void {
    if (!this.#hasStatus) return;
    this.#errors.write('\r\x1b[K');
    this.#hasStatus = false;
  }

  /** Asks a question on standard error. Returns undefined if the input ends. */
  async ask(question: string): Promise<string | undefined> {
    this.clearStatus();
    const { createInterface } = await import('node:readline');
    const reader = createInterface({ input: process.stdin, output: this.#errors });
    return new Promise((resolve) => {
      reader.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
      reader.once('close', () => resolve(undefined));
      reader.question(question, (answer) => {
        resolve(answer.trim());
        reader.close();
      });
    });
  }

  /**
   * Reads a secret: typed without echo on a terminal, otherwise from standard input.
   * @param signal ends the question on a terminal
   */
  async readSecret(question: string, signal?: AbortSignal): Promise<string> {
    if (!this.isInteractive) return (await readInput()).trim();
    const { createInterface } = await import('node:readline');
    const { Writable } = await import('node:stream');
    this.#errors.write(question);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({ input: process.stdin, output: silent, terminal: true });
    reader.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    signal?.addEventListener('abort', () => reader.close());
    const [line] = (await Promise.race([once(reader, 'line'), once(reader, 'close').then(() => [''])])) as [string];
    reader.close();
    this.#errors.write('\n');
    return line.trim();
  }
}

/** Reads standard input to its end. @throws UsageError if it is not UTF-8 */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return decodeText(Buffer.concat(chunks), 'Standard input');
}
