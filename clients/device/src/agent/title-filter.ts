import { isText, type JsonObject } from '../untrusted-values';

/** Longer titles are compared with prompts up to here. */
const MAX_COMPARED_LENGTH = 1_000;

const ELLIPSIS = /(?:\u2026|\.\.\.)$/;
const BLANKS = /[\p{Cc}\p{Z}]+/gu;

/**
 * Tells the titles that an agent gives its session from the prompts that some agents report as titles, often cut. A
 * session would have another one with each message otherwise.
 */
export class TitleFilter {
  /** The last two, since the title of one may come after the next one has begun. */
  private prompts: string[] = [];

  beginPrompt(text: string): void {
    this.prompts = [normalize(text), ...this.prompts.slice(0, 1)];
  }

  /** Returns the title that an update brings. Before the first prompt there is nothing yet that it could be about. */
  findTitle({ sessionUpdate, title }: JsonObject): string | undefined {
    if (sessionUpdate !== 'session_info_update' || !isText(title) || this.prompts.length === 0) return undefined;
    const compared = normalize(title.slice(0, MAX_COMPARED_LENGTH));
    const isOfPrompt = ELLIPSIS.test(title.trimEnd()) || this.prompts.some((prompt) => prompt.startsWith(compared));
    return isOfPrompt ? undefined : title;
  }
}

/** Agents differ in case, in line breaks and in how they write the same characters. */
const normalize = (text: string): string => text.normalize('NFKC').replace(BLANKS, ' ').trim().toLowerCase();
