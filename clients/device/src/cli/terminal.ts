import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { toJsonLine } from '../json-line';
import { getErrnoCode } from '../exec/command-error';
import { formatFields, formatTable, sanitizeText } from './text-format';

/** Input and output of the command line. All commands write through it. */
export class Terminal {
  /** Whether the running command has work that is worth more than its output. */
  outlivesReader = false;
  private isOutputLost = false;

  constructor(
    private readonly input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
    private readonly output: NodeJS.WritableStream & { isTTY?: boolean; columns?: number } = process.stdout,
    private readonly errors: NodeJS.WritableStream = process.stderr,
  ) {}

  get isInteractive(): boolean {
    return this.input.isTTY === true;
  }

  /** Width of the terminal in characters, or 0 if the output isn't one. */
  get outputColumns(): number {
    return this.output.isTTY ? (this.output.columns ?? 0) : 0;
  }

  /** Writes lines that may have untrusted text. */
  writeLine(text = ''): void {
    this.writeUnchanged(sanitizeText(text));
  }

  /** Writes lines of this program, such as with colors. */
  writeUnchanged(text: string): void {
    this.output.write(`${text}\n`);
  }

  /** Writes one `Name  value` line per pair. Values may have untrusted text. */
  writeFields(pairs: [string, string][]): void {
    this.writeLine(formatFields(pairs));
  }

  /** Writes a table. One that is wider than the terminal becomes a block of `NAME  value` lines per row. */
  writeTable(header: string[], rows: string[][]): void {
    const table = formatTable(header, rows);
    const maxWidth = this.output.columns ?? Infinity;
    const isTooWide = table.split('\n').some((line) => line.length > maxWidth);
    const blocks = rows.map((row) => formatFields(header.map((name, column) => [name, row[column] ?? ''])));
    this.writeLine(isTooWide && blocks.length > 0 ? blocks.join('\n\n') : table);
  }

  /** Writes bytes unchanged to a file or pipe, and as sanitized text to a terminal. */
  writeBytes(value: Uint8Array): void {
    if (!this.output.isTTY) this.output.write(value);
    else this.writeLine(Buffer.from(value).toString('utf8'));
  }

  writeJson(value: unknown): void {
    this.writeUnchanged(toJsonLine(value));
  }

  /** Writes advice, warnings and errors, which may have untrusted text, to standard error. */
  writeNotice(text: string): void {
    this.errors.write(`${sanitizeText(text)}\n`);
  }

  /** Ends the program if nobody can read its output any more, unless the command goes on without a reader. */
  handleLostOutput(error: Error): void {
    const code = getErrnoCode(error);
    if (!this.isOutputLost && code === 'EIO') process.once('exit', closeStandardStreams);
    const isFirst = !this.isOutputLost;
    this.isOutputLost = true;
    if (this.outlivesReader) {
      if (isFirst) this.writeNotice(`The output can't be written (${code}). The work goes on without it.`);
      return;
    }
    // A reader that has read enough, as `head`, closes the pipe.
    if (code === 'EPIPE') process.exit(0);
    this.writeNotice(`error: The output can't be written (${code}).`);
    process.exit(1);
  }

  async promptConfirmation(question: string): Promise<boolean> {
    const reader = createInterface({ input: this.input, output: this.errors });
    const answer = await readAnswer(reader, `${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  }

  /** Reads a secret: typed without echo on a terminal, otherwise from standard input. */
  async promptSecret(question: string): Promise<string> {
    if (!this.isInteractive) return this.readInput();
    this.errors.write(question);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({ input: this.input, output: silent, terminal: true });
    const answer = await readAnswer(reader, '');
    this.errors.write('\n');
    return answer.trim();
  }

  private async readInput(): Promise<string> {
    let text = '';
    for await (const chunk of this.input) text += chunk.toString();
    return text.trim();
  }
}

/** Prevents Node.js from aborting on exit, because it can't restore the modes of a terminal that was closed. */
function closeStandardStreams(): void {
  for (const descriptor of [0, 1, 2]) closeSync(descriptor);
}

/** Returns the answer to one question; empty when the input ends without one, as after Ctrl-D. */
async function readAnswer(reader: Interface, question: string): Promise<string> {
  const closed = once(reader, 'close').then(() => '');
  const answer = await Promise.race([reader.question(question), closed]);
  reader.close();
  return answer;
}
