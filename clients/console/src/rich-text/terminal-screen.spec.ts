import { readTerminalText } from './terminal-screen';
import { applyStyle, PLAIN_STYLE } from './terminal-style';

const ESC = '\u001b';
const readLines = (output: string) =>
  readTerminalText(output).lines.map((runs) => runs.map(({ text }) => text).join(''));
const readStyle = (parameters: string) => applyStyle(PLAIN_STYLE, parameters);

describe('the output of a program for a terminal', () => {
  it('is its lines if it has no control characters', () => {
    expect(readTerminalText('a\r\nb\n')).toMatchObject({
      hidesText: false,
      lines: [[{ text: 'a' }], [{ text: 'b' }], [{}]],
    });
  });

  it('has colors, also where the machine shows control characters as escapes', () => {
    for (const escape of [ESC, '\\u{1b}']) {
      const { lines, hidesText } = readTerminalText(`a ${escape}[1;31mred${escape}[0m b`);
      expect(lines[0]!.map(({ text, style }) => [text, style.color, ...style.marks])).toEqual([
        ['a ', ''],
        ['red', '#cd3131', 'bold'],
        [' b', ''],
      ]);
      expect(hidesText).toBe(false);
    }
  });

  it.each([
    ['overwrites a line after a carriage return', '10%\r100%\ndone', ['100%', 'done']],
    ['keeps what a shorter line does not overwrite', 'abcdef\rxy', ['xycdef']],
    ['goes back and forth', `abc\bX${ESC}[2DY${ESC}[2CZ${ESC}[1GA`, ['AYX Z']],
    ['goes up and erases below, like a list of tasks', `a\nb\n${ESC}[2A${ESC}[Jc\nd\n`, ['c', 'd', '']],
    ['erases lines, or parts of them', `abc\r${ESC}[Kx\nabc${ESC}[1K\nabc${ESC}[2K\rz`, ['x', '', 'z']],
    ['never goes above the first line or below the last', `a${ESC}[99Ab${ESC}[99Bc${ESC}[99D`, ['abc']],
    ['begins a line for a position on the screen', `a${ESC}[2J${ESC}[1;1Hb`, ['a', 'b']],
    [
      'has no titles and no unknown sequences',
      `${ESC}]0;title\u0007a${ESC}[?25lb${ESC}(Bc${ESC}]8;;http://x${ESC}\\d`,
      ['abcd'],
    ],
    ['keeps the lines after a sequence without an end', `a${ESC}]0;title\nb`, ['a', 'b']],
  ])('%s', (_, output, lines) => expect(readLines(output)).toEqual(lines));

  it('says that something is hidden', () => {
    const outputs = ['secret\rpublic', `rm${ESC}[2K\rls`, `a\nb${ESC}[A\r${ESC}[J`, `${ESC}]0;title\u0007a`];
    for (const output of outputs) expect([output, readTerminalText(output).hidesText]).toEqual([output, true]);
    for (const output of [`a${ESC}[K\nb`, `a${ESC}(B`, '  \rab'])
      expect([output, readTerminalText(output).hidesText]).toEqual([output, false]);
  });

  it('does not become large by movements of the cursor', () => {
    const { lines } = readTerminalText(`${ESC}[999999999Cx\n${ESC}[999999999Bx${ESC}[999999999Gx`.repeat(100));
    const cells = lines.flatMap((runs) => runs.map(({ text }) => text)).join('').length;
    expect(lines.length).toBeLessThanOrEqual(101);
    expect(cells).toBeLessThan(100 * 2 * 210);
  });
});

describe('the style of characters', () => {
  it.each([
    ['31', { color: '#cd3131' }],
    ['97;44', { color: '#ffffff', ground: '#2472c8' }],
    ['38;5;9', { color: '#f14c4c' }],
    ['38;5;196', { color: 'rgb(255 0 0)' }],
    ['48;5;244', { ground: 'rgb(128 128 128)' }],
    ['38;2;1;2;3;4', { color: 'rgb(1 2 3)', marks: ['underline'] }],
    ['38:2::1:2:3', { color: 'rgb(1 2 3)' }],
    ['48:5:16;3', { ground: 'rgb(0 0 0)', marks: ['italic'] }],
    ['4:3', { marks: ['underline'] }],
    ['1;2;7;9', { marks: ['bold', 'dim', 'inverse', 'strike'] }],
    ['1;4;22;24', { marks: [] }],
    ['31;1;0', {}],
    ['31;42;39;49', {}],
    ['', {}],
    ['38', {}],
    ['38;2;256;0;0', {}],
    ['38;5;-1', {}],
    ['8;5;777;x', {}],
  ])('of %j', (parameters, style) => expect(readStyle(parameters)).toEqual({ ...PLAIN_STYLE, ...style }));
});
