import { truncateEnd, truncateMiddle } from '../exec/truncation';

/**
 * Characters that people can't see, or that change how others are shown: control characters except tab and line feed,
 * format characters such as marks of direction and zero-width characters, fillers, unusual spaces and lone surrogates.
 * Selectors and joiners inside of emoji are visible.
 */
const INVISIBLE_CHARACTERS = new RegExp(
  [
    String.raw`(?!\t|\n| |\u3000|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`,
    String.raw`(?<!\p{Extended_Pictographic})\ufe0f`,
    String.raw`(?<!\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d|\u200d(?!\p{Extended_Pictographic})`,
    String.raw`\p{Surrogate}`,
  ].join('|'),
  'gu',
);

/** Joiners, selectors and spaces that belong to the spelling of some languages. */
const SPELLING_CHARACTERS = /^(?:\u200c|\u200d|[\ufe00-\ufe0f]|\p{Zs})$/u;

const MAX_LINE_LENGTH = 300;
const MAX_LINE_MARKER_LENGTH = 40;

/** Deeper values are replaced; an agent could exhaust the stack with them. */
const MAX_JSON_DEPTH = 32;

/**
 * Returns text for people who decide on it: a character that can't be seen becomes an escape such as `\u{1b}`. Nothing
 * is removed, so that a command can't look like another one.
 */
export function toDisplayedText(text: string): string {
  return text.replace(INVISIBLE_CHARACTERS, escapeCharacter);
}

/** Returns a message of the agent, like displayed text, but with the characters that its language may need. */
export function toMessageText(text: string): string {
  const escape = (character: string): string =>
    SPELLING_CHARACTERS.test(character) ? character : escapeCharacter(character);
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE_CHARACTERS, escape);
}

/** Returns a title or a name: one line of at most 300 characters, with the number of those that are left out. */
export function toDisplayedLine(value: unknown): string {
  if (typeof value !== 'string') return '';
  const line = toDisplayedText(value.replace(/[ \t\n]+/g, ' ').trim());
  if (line.length <= MAX_LINE_LENGTH) return line;
  const start = truncateEnd(line, MAX_LINE_LENGTH - MAX_LINE_MARKER_LENGTH);
  return `${start} [… ${line.length - start.length} characters left out]`;
}

/** Returns displayed text of at most `maxBytes` bytes, truncated in the middle. */
export function toBoundedText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(toDisplayedText(text));
  return truncateMiddle(bytes, bytes.length, maxBytes);
}

/** Returns the JSON value with displayed texts, or truncated JSON text if it exceeds `maxBytes`; null if undefined. */
export function toDisplayedValue(value: unknown, maxBytes: number): unknown {
  const displayed = replaceTexts(value ?? null, 0);
  const json = JSON.stringify(displayed);
  return Buffer.byteLength(json) <= maxBytes ? displayed : toBoundedText(json, maxBytes);
}

function replaceTexts(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return toDisplayedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_JSON_DEPTH) return '[… deeper values left out …]';
  if (Array.isArray(value)) return value.map((item) => replaceTexts(item, depth + 1));
  const entries = Object.entries(value).map(([key, item]) => [toDisplayedKey(key), replaceTexts(item, depth + 1)]);
  return Object.fromEntries(entries) as unknown;
}

/** No two keys look alike: one of them would replace the other, and could hide the value that the tool uses. */
const toDisplayedKey = (key: string): string => toDisplayedText(key.replace(/\\(?=u\{)/g, '\\u{5c}'));

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
