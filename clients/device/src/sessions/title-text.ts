import { truncateText } from '@external-api/protocol';
import { toMessageText } from '../agent/displayed-text';

/** Characters of a title that is taken from a message. */
const MAX_MESSAGE_TITLE_LENGTH = 60;
/** Characters of a title that an agent gives. */
const MAX_AGENT_TITLE_LENGTH = 120;
/** A character may have any number of marks. */
const MAX_UNITS_PER_CHARACTER = 8;

const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/;
const BLANKS = /[\p{Cc}\p{Zs}]+/gu;

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the first line that isn't blank, up to 60 characters; empty if there is none. */
export const toMessageTitle = (message: string): string => toTitle(message, MAX_MESSAGE_TITLE_LENGTH);

/** Returns the first line that isn't blank, up to 120 characters; empty if there is none. */
export const toAgentTitle = (title: string): string => toTitle(title, MAX_AGENT_TITLE_LENGTH);

/** Control characters are spaces. Others that can't be seen become escapes, as in messages. */
function toTitle(text: string, maxLength: number): string {
  const lines = text.split(LINE_BREAKS).map((line) => line.replace(BLANKS, ' ').trim());
  const line = toMessageText(lines.find((each) => each !== '') ?? '');
  // Only as much of a long line as the title can have is divided into characters.
  const start = truncateText(line, maxLength * MAX_UNITS_PER_CHARACTER);
  return [...characters.segment(start)]
    .slice(0, maxLength)
    .map(({ segment }) => segment)
    .join('')
    .trim();
}
