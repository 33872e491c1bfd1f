import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { printableText } from './layout';

/** The one place that writes to the person or to the script that reads this program. */
export class Terminal {
  constructor(
    private readonly input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
    private readonly output: NodeJS.WritableStream & { isTTY?: boolean } = process.stdout,
    private readonly errors: NodeJS.WritableStream = process.stderr,
  ) {}

  get interactive(): boolean {
    return this.input.isTTY === true;
  }

  line(text = ''): void {
    this.output.write(`${text}\n`);
  }

  /** To a file or a pipe as they are; a person is shown text that moves no cursor. */
  bytes(value: Uint8Array): void {
    if (!this.output.isTTY) this.output.write(value);
    else this.line(printableText(Buffer.from(value).toString('utf8')));
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value));
  }

  /** For what is not the answer: advice, warnings, errors. */
  note(text: string): void {
    this.errors.write(`${text}\n`);
  }

  async confirm(question: string): Promise<boolean> {
    const reader = createInterface({ input: this.input, output: this.errors });
    const answer = await reader.question(`${question} [y/N] `);
    reader.close();
    return /^y(es)?$/i.test(answer.trim());
  }

  /** Typed without echo, or piped in. */
  async secret(question: string): Promise<string> {
    if (!this.interactive) return this.readAll();
    this.errors.write(question);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({ input: this.input, output: silent, terminal: true });
    const closed = once(reader, 'close').then(() => '');
    const answer = await Promise.race([reader.question(''), closed]);
    reader.close();
    this.errors.write('\n');
    return answer.trim();
  }

  private async readAll(): Promise<string> {
    let text = '';
    for await (const chunk of this.input) text += chunk.toString();
    return text.trim();
  }
}
