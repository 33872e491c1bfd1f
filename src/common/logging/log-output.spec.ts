import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LogOutput } from './log-output';

const FILLER = '#';
const LINE = `${'x'.repeat(1_023)}\n`;

describe('LogOutput', () => {
  let folder: string;
  let descriptor: number;
  const openFile = (name: string, flags: string | number) => (descriptor = openSync(join(folder, name), flags));
  const readLines = () => readFileSync(join(folder, 'log'), 'utf8');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'external-api-log-'));
  });
  afterEach(() => {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  });

  it('writes lines together, in order', async () => {
    const output = new LogOutput(openFile('log', 'w'));
    output.write('first\n');
    output.write('second\n');
    expect(readLines()).toBe('');
    await waitUntil(() => readLines() === 'first\nsecond\n');
    output.write('third\n');
    await waitUntil(() => readLines() === 'first\nsecond\nthird\n');
  });

  it('writes each line as one line for every reader', async () => {
    const output = new LogOutput(openFile('log', 'w'));
    output.write(`${JSON.stringify({ msg: 'a\u2028b\u2029c\u0085d' })}\n`);
    await waitUntil(() => readLines() === '{"msg":"a\\u2028b\\u2029c\\u0085d"}\n');
  });

  it('writes many lines without waiting for others', async () => {
    const output = new LogOutput(openFile('log', 'w'));
    let written = '';
    for (let i = 0; i < 1_000; i++) {
      const line = `${i} ${LINE}`;
      output.write(line);
      written += line;
      if (i % 100 === 0) await sleep(1);
    }
    await waitUntil(() => readLines().length === written.length);
    expect(readLines()).toBe(written);
  });

  it('keeps lines for a program that stopped reading, drops those beyond the limit, and counts them once', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    // Opened for both, so that opening waits for nobody. It is full, so that no line is written before the limit.
    openFile('pipe', constants.O_RDWR | constants.O_NONBLOCK);
    fillPipe(descriptor);
    const output = new LogOutput(descriptor, 100 * 1_024);
    for (let i = 0; i < 300; i++) {
      output.write(LINE);
      if (i % 10 === 0) await sleep(1);
    }
    let text = '';
    await waitUntil(() => (text += readAvailable(descriptor)).endsWith('log lines dropped"}\n'));

    const lines = text.replaceAll(FILLER, '').trimEnd().split('\n');
    const warning = JSON.parse(lines.pop()!) as { lines: number };
    expect(warning).toMatchObject({ level: 40, msg: 'log lines dropped', time: expect.any(Number) });
    expect(new Set(lines)).toEqual(new Set([LINE.trimEnd()]));
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.length + warning.lines).toBe(300);

    output.write(LINE);
    let later = '';
    await waitUntil(() => (later += readAvailable(descriptor)).length >= LINE.length);
    expect(later).toBe(LINE);
  });
});

async function waitUntil(isDone: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!isDone()) {
    if (Date.now() > deadline) throw new Error('not within 5 s');
    await sleep(10);
  }
}

function fillPipe(descriptor: number): void {
  try {
    for (;;) writeSync(descriptor, FILLER);
  } catch {
    // It has no room for more.
  }
}

function readAvailable(descriptor: number): string {
  const buffer = Buffer.alloc(64 * 1_024);
  try {
    return buffer.toString('utf8', 0, readSync(descriptor, buffer));
  } catch {
    // Nothing to read yet.
    return '';
  }
}
