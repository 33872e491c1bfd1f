import { truncateText } from '@external-api/protocol';
import { truncateMiddle } from '../exec/truncation';

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
/** Characters of a longer title that are read: searching megabytes for invisible characters takes seconds. */
const MAX_READ_LINE_LENGTH = 16 * 1024;

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
  const whole = value.replace(/[ \t\n]+/g, ' ').trim();
  const read = truncateText(whole, MAX_READ_LINE_LENGTH);
  const line = toDisplayedText(read);
  if (line.length <= MAX_LINE_LENGTH && read === whole) return line;
  const start = truncateText(line, MAX_LINE_LENGTH - MAX_LINE_MARKER_LENGTH);
  return `${start} [… ${line.length - start.length + whole.length - read.length} characters left out]`;
}

/** Returns displayed text of at most `maxBytes` bytes, truncated in the middle. */
export function toBoundedText(text: string, maxBytes: number): string {
  const { ends, unreadBytes } = readEnds(text, maxBytes);
  const read = Buffer.from(ends.map(toDisplayedText).join(''));
  return truncateMiddle(read, read.length + unreadBytes, maxBytes);
}

/** Returns the JSON value with displayed texts, or truncated JSON text if it exceeds `maxBytes`; null if undefined. */
export function toDisplayedValue(value: unknown, maxBytes: number): unknown {
  const budget = { values: 8 * maxBytes, textLength: maxBytes, unreadBytes: 0 };
  const displayed = replaceTexts(value ?? null, 0, budget);
  const json = Buffer.from(JSON.stringify(displayed));
  const isWhole = json.length <= maxBytes && budget.unreadBytes === 0;
  return isWhole ? displayed : truncateMiddle(json, json.length + budget.unreadBytes, maxBytes);
}

interface ReadBudget {
  /** Characters and values that may still be read. */
  values: number;
  /** Characters that are read from the beginning and from the end of a longer text. */
  textLength: number;
  unreadBytes: number;
}

function replaceTexts(value: unknown, depth: number, budget: ReadBudget): unknown {
  if (budget.values <= 0) return '[… further values left out …]';
  budget.values--;
  if (typeof value === 'string') return replaceText(value, budget);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_JSON_DEPTH) return '[… deeper values left out …]';
  const limit = budget.values + 1;
  if (Array.isArray(value)) return value.slice(0, limit).map((item) => replaceTexts(item, depth + 1, budget));
  const members = Object.entries(value).slice(0, limit);
  return Object.fromEntries(
    members.map(([key, item]) => [toDisplayedKey(key, budget), replaceTexts(item, depth + 1, budget)]),
  ) as unknown;
}

/** The place where a text is cut is so far from its ends that it never shows: the whole JSON text is cut there too. */
function replaceText(text: string, budget: ReadBudget): string {
  const { ends, unreadBytes } = readEnds(text, budget.textLength);
  budget.values -= Math.min(text.length, 2 * budget.textLength);
  budget.unreadBytes += unreadBytes;
  return ends.map(toDisplayedText).join('');
}

/** Returns a text in one part, or the ends of a long one: invisible characters in megabytes take seconds to find. */
function readEnds(text: string, length: number): { ends: string[]; unreadBytes: number } {
  if (text.length <= 4 * length) return { ends: [text], unreadBytes: 0 };
  const ends = [truncateText(text, length), text.slice(-length).replace(/^[\udc00-\udfff]/, '')];
  return { ends, unreadBytes: ends.reduce((bytes, end) => bytes - Buffer.byteLength(end), Buffer.byteLength(text)) };
}

/** No two keys look alike: one of them would replace the other, and could hide the value that the tool uses. */
function toDisplayedKey(key: string, budget: ReadBudget): string {
  return replaceText(key.replace(/\\(?=u\{)/g, '\\u{5c}'), budget);
}

const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;
