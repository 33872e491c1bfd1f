import type { Approval } from '../approvals/open-approval';
import { showInvisibleCharacters } from '../lib/visible-text';

/** What a notification shows in full on the screens that people use. A longer text is cut, and can't be allowed. */
export const MAX_TEXT_LENGTH = 140;
const MAX_LINES = 3;
const MAX_TITLE_LENGTH = 50;

/** Option that a button chooses. */
export interface NoticeOption {
  optionId: string;
  kind: string;
}

/** A notification before it is shown. */
export interface Notice {
  title: string;
  body: string;
  /** Hash of the ciphertext whose whole text the body shows. */
  contentHash: string;
  /** Null without the button. */
  allow: NoticeOption | null;
  reject: NoticeOption | null;
}

/**
 * Builds the notice of a pending request. Its buttons decide once: the kinds that last are left to the page, and so is
 * whatever the notice does not show in full.
 */
export function buildRequestNotice({ session, question, form, contentHash, problem }: Approval): Notice {
  const title = cutText(showInvisibleCharacters(session.title), MAX_TITLE_LENGTH).text;
  const silent = { title, contentHash: '', allow: null, reject: null };
  if (form) return { ...silent, body: `A question: ${cutText(showInvisibleCharacters(form.title)).text}` };
  if (!question) return { ...silent, body: `An agent asks for permission. ${problem}` };
  const { command, input, diff, isTruncated } = question;
  const shown = `${question.tool}: ${question.title}`;
  const more = [command !== null && !shown.includes(command) ? command : '', joinLines(input), diff].filter(
    (text) => text !== '',
  );
  const { text, isCut } = cutText([shown, ...more].join('\n'));
  const findOnly = (kind: string) => {
    const options = question.options.filter((option) => option.kind === kind);
    return options.length === 1 ? { optionId: options[0]!.optionId, kind } : null;
  };
  const allow = isCut || isTruncated ? null : findOnly('allow_once');
  return { title, body: text, contentHash, allow, reject: findOnly('reject_once') };
}

/** Input that was an object is JSON on several lines, whose breaks say nothing. */
function joinLines(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input));
  } catch {
    return input;
  }
}

function cutText(text: string, maxLength = MAX_TEXT_LENGTH): { text: string; isCut: boolean } {
  const lines = text.split('\n');
  const short = lines.slice(0, MAX_LINES).join('\n');
  const characters = [...short];
  if (lines.length <= MAX_LINES && characters.length <= maxLength) return { text, isCut: false };
  return { text: `${characters.slice(0, maxLength - 1).join('')}…`, isCut: true };
}
