/** Style of characters as `SGR` sets it (ECMA-48, 8.3.117). Hidden characters and blinking ones are shown as others. */
export interface TerminalStyle {
  /** CSS colors; empty for those of the page. */
  color: string;
  ground: string;
  /** Names of classes, such as `bold`. */
  marks: readonly string[];
}

export const PLAIN_STYLE: TerminalStyle = { color: '', ground: '', marks: [] };

const MARKS: Record<number, string> = { 1: 'bold', 2: 'dim', 3: 'italic', 4: 'underline', 7: 'inverse', 9: 'strike' };
/** Codes that end marks, by the codes of these. */
const ENDS: Record<number, number[]> = { 22: [1, 2], 23: [3], 24: [4], 27: [7], 29: [9] };

/** The first 16 colors, as in the terminal of VS Code. */
const PALETTE = (
  '#000000 #cd3131 #0dbc79 #e5e510 #2472c8 #bc3fbc #11a8cd #e5e5e5 ' +
  '#666666 #f14c4c #23d18b #f5f543 #3b8eea #d670d6 #29b8db #ffffff'
).split(' ');
const CUBE = [0, 95, 135, 175, 215, 255];

/** Returns the style after a sequence. @param parameters such as `1;38;5;9` */
export function applyStyle(style: TerminalStyle, parameters: string): TerminalStyle {
  const codes = parameters.split(';');
  let changed = style;
  for (let index = 0; index < codes.length; index++) {
    // With colons, the parameters of a code are one of the list (ISO 8613-6).
    const [code = 0, ...own] = codes[index]!.split(':').map(Number);
    if (code !== 38 && code !== 48) {
      changed = applyCode(changed, own[0] === 0 ? code + 20 : code);
      continue;
    }
    const [mode, ...values] = own.length > 0 ? own : codes.slice(index + 1, index + 5).map(Number);
    const color = mode === 2 ? readRgb(own.length > 0 ? values.slice(-3) : values) : readIndexed(values[0]);
    if (own.length === 0) index += mode === 2 ? 4 : 2;
    if (color) changed = { ...changed, [code === 38 ? 'color' : 'ground']: color };
  }
  return changed;
}

function applyCode(style: TerminalStyle, code: number): TerminalStyle {
  const { marks } = style;
  if (code === 0) return PLAIN_STYLE;
  if (MARKS[code]) return { ...style, marks: [...marks.filter((mark) => mark !== MARKS[code]), MARKS[code]] };
  const ended = ENDS[code]?.map((mark) => MARKS[mark]);
  if (ended) return { ...style, marks: marks.filter((mark) => !ended.includes(mark)) };
  if (code === 39) return { ...style, color: '' };
  if (code === 49) return { ...style, ground: '' };
  const decade = Math.floor(code / 10);
  const number = code % 10;
  if (number > 7) return style;
  if (decade === 3 || decade === 9) return { ...style, color: PALETTE[number + (decade === 9 ? 8 : 0)]! };
  if (decade === 4 || decade === 10) return { ...style, ground: PALETTE[number + (decade === 10 ? 8 : 0)]! };
  return style;
}

const isByte = (value: number | undefined): value is number =>
  value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255;

function readRgb(values: readonly number[]): string {
  const rgb = values.slice(0, 3);
  return rgb.length === 3 && rgb.every(isByte) ? `rgb(${rgb.join(' ')})` : '';
}

/** Returns one of 256 colors: 16 named ones, a cube of 6 × 6 × 6, and 24 greys. */
function readIndexed(index: number | undefined): string {
  if (!isByte(index)) return '';
  if (index < 16) return PALETTE[index]!;
  if (index >= 232) return readRgb(Array.from({ length: 3 }, () => 8 + (index - 232) * 10));
  const place = index - 16;
  return readRgb([Math.floor(place / 36), Math.floor(place / 6) % 6, place % 6].map((step) => CUBE[step]!));
}
