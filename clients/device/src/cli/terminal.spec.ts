import { PassThrough } from 'node:stream';
import { Terminal } from './terminal';

function writeTable(columns: number | undefined, rows: string[][]): string {
  const output = Object.assign(new PassThrough(), { columns });
  new Terminal(new PassThrough(), output).writeTable(['ID', 'NAME'], rows);
  return String(output.read());
}

describe('Terminal.writeTable', () => {
  const ROWS = [
    ['a', 'a short name'],
    ['b', 'another name'],
  ];

  it('aligns the columns of a table that fits', () => {
    const table = 'ID  NAME\na   a short name\nb   another name\n';
    expect(writeTable(16, ROWS)).toBe(table);
    expect(writeTable(undefined, ROWS)).toBe(table);
  });

  it('writes one block per row when the terminal is too narrow', () => {
    expect(writeTable(15, ROWS)).toBe('ID    a\nNAME  a short name\n\nID    b\nNAME  another name\n');
  });

  it('writes only the header without rows', () => expect(writeTable(1, [])).toBe('ID  NAME\n'));
});

it('writes JSON in one line for every reader', () => {
  const output = new PassThrough();
  new Terminal(new PassThrough(), output).writeJson({ text: 'a\u2028b\u2029c\u0085d\n' });
  expect(String(output.read())).toBe('{"text":"a\\u2028b\\u2029c\\u0085d\\n"}\n');
});

it('writes JSON without characters that a terminal obeys', () => {
  const output = new PassThrough();
  const value = { name: 'a\u001b[1A\u009b1A\u007f\u202eb' };
  new Terminal(new PassThrough(), output).writeJson(value);
  const line = String(output.read());
  expect(line).toBe('{"name":"a\\u001b[1A\\u009b1A\\u007f\\u202eb"}\n');
  expect(JSON.parse(line)).toEqual(value);
});

describe('Terminal.promptConfirmation', () => {
  it.each([
    ['y\n', true],
    ['YES\n', true],
    ['n\n', false],
    ['\n', false],
    ['', false],
  ])('takes %j as %s', async (text, confirmed) => {
    const input = new PassThrough();
    input.end(text);
    const terminal = new Terminal(input, new PassThrough(), new PassThrough());
    expect(await terminal.promptConfirmation('Continue?')).toBe(confirmed);
  });
});

describe('Terminal.writeBytes', () => {
  const BYTES = Buffer.from('a\u001b[2Jb\tc\r\n');

  it.each([
    ['unchanged to a file', {}, 'a\u001b[2Jb\tc\r\n'],
    ['without control characters to a terminal', { isTTY: true }, 'a\ufffd[2Jb\tc\n\n'],
  ])('writes %s', (_, terminal, written) => {
    const output = Object.assign(new PassThrough(), terminal);
    new Terminal(new PassThrough(), output).writeBytes(BYTES);
    expect(String(output.read())).toBe(written);
  });
});
