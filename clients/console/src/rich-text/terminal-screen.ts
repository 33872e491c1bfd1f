import { applyStyle, PLAIN_STYLE, type TerminalStyle } from './terminal-style';

/** Characters of one style. */
export interface TerminalRun {
  text: string;
  style: TerminalStyle;
}

/** Output as a terminal shows it. */
export interface TerminalText {
  lines: TerminalRun[][];
  /** Whether something is missing that the program has written: it was overwritten, or is no text. */
  hidesText: boolean;
}

/** Column that the cursor can be moved to on a shorter line, so that a few bytes don't become a lot of space. */
const MAX_COLUMN = 200;

/** Control characters that machines show as escapes, so that nobody's own terminal obeys them. */
const ESCAPED_CONTROLS = /\\u\{(1b|d|8|7)\}/g;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0008\u001b\r]/;
/** What begins strings for the terminal, such as its title. */
const STRINGS = ']PX^_';
/** Control sequences, with parameters and final byte; other escape sequences; and what moves the cursor. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex
  /\u001b(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\n\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|[\n\r\u0008]/g;

/**
 * Reads what a program has written for a terminal: colors, and movements of the cursor as progress bars use them. The
 * lines are as many as it has written, so that clearing the screen removes nothing.
 */
export function readTerminalText(output: string): TerminalText {
  const text = output.replace(ESCAPED_CONTROLS, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
  if (!CONTROLS.test(text.replaceAll('\r\n', '\n')))
    return { lines: text.split(/\r?\n/).map((line) => [{ text: line, style: PLAIN_STYLE }]), hidesText: false };
  const screen = new TerminalScreen();
  let end = 0;
  for (const { 0: sequence, 1: parameters = '', 2: final, index } of text.matchAll(SEQUENCES)) {
    screen.writeText(text.slice(end, index));
    if (final) screen.runSequence(final, parameters);
    else if (sequence.length === 1) screen.moveCursor(sequence);
    else if (STRINGS.includes(sequence[1]!)) screen.hidesText = true;
    end = index + sequence.length;
  }
  screen.writeText(text.slice(end));
  return { lines: screen.lines.map(joinCells), hidesText: screen.hidesText };
}

interface Cell {
  character: string;
  style: TerminalStyle;
}

const BLANK: Cell = { character: ' ', style: PLAIN_STYLE };

class TerminalScreen {
  readonly lines: Cell[][] = [[]];
  hidesText = false;
  private row = 0;
  private column = 0;
  private style = PLAIN_STYLE;

  writeText(text: string): void {
    const line = this.lines[this.row]!;
    for (const character of text) {
      while (line.length < this.column) line.push(BLANK);
      this.noteLoss(line.slice(this.column, this.column + 1));
      line[this.column++] = { character, style: this.style };
    }
  }

  /** @param control line feed, carriage return or backspace */
  moveCursor(control: string): void {
    if (control === '\u0008') this.column = Math.max(0, this.column - 1);
    else this.column = 0;
    if (control !== '\n') return;
    this.row++;
    if (this.row === this.lines.length) this.lines.push([]);
  }

  /** @param final last byte of a control sequence (ECMA-48, 8.3); those that aren't known change nothing */
  runSequence(final: string, parameters: string): void {
    const count = Math.max(1, Number(parameters.split(';', 1)[0]) || 1);
    const line = this.lines[this.row]!;
    if (final === 'm') this.style = applyStyle(this.style, parameters);
    else if (final === 'A' || final === 'F') this.row = Math.max(0, this.row - count);
    else if (final === 'B' || final === 'E') this.row = Math.min(this.lines.length - 1, this.row + count);
    else if (final === 'C') this.column = Math.max(this.column, Math.min(this.column + count, MAX_COLUMN));
    else if (final === 'D') this.column = Math.max(0, this.column - count);
    else if (final === 'G') this.column = Math.min(count - 1, Math.max(line.length, MAX_COLUMN));
    else if (final === 'K') this.eraseInLine(parameters);
    else if (final === 'J' && Number(parameters) === 0) this.eraseBelow();
    else if (final === 'H' || final === 'f') this.startNewLine();
    if (final === 'E' || final === 'F') this.column = 0;
  }

  private eraseInLine(parameters: string): void {
    const line = this.lines[this.row]!;
    const mode = Number(parameters);
    const from = mode === 0 ? this.column : 0;
    const to = mode === 1 ? Math.min(line.length, this.column + 1) : line.length;
    if (to <= from) return;
    this.noteLoss(line.slice(from, to));
    if (to === line.length) line.length = from;
    else line.fill(BLANK, from, to);
  }

  private eraseBelow(): void {
    this.eraseInLine('0');
    this.noteLoss(this.lines.splice(this.row + 1).flat());
  }

  /** For a position on the screen, whose size the program knows and the page doesn't. */
  private startNewLine(): void {
    this.row = this.lines.length - 1;
    if (this.lines[this.row]!.length > 0) this.row = this.lines.push([]) - 1;
    this.column = 0;
  }

  private noteLoss(cells: readonly Cell[]): void {
    this.hidesText ||= cells.some(({ character }) => character !== ' ');
  }
}

function joinCells(cells: readonly Cell[]): TerminalRun[] {
  const runs: TerminalRun[] = [];
  for (const { character, style } of cells) {
    const last = runs.at(-1);
    if (last?.style === style) last.text += character;
    else runs.push({ text: character, style });
  }
  return runs;
}
