/** Characters that a terminal obeys or that nobody sees: controls, marks of direction, zero-width characters, fillers. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Secrets of the service: prefix, random part and checksum. */
const CREDENTIAL = /\bsvc_(pat|oat|ort|ocs|dev)_[0-9A-Za-z]{6,}/g;

/** Returns a text for one line of a terminal, with invisible characters as escapes such as `\u{1b}`. */
export function toVisibleLine(text: string): string {
  if (text.search(INVISIBLE) === -1) return text;
  // Emoji contain joiners and selectors. The expression is large, so it is compiled only for texts that need it.
  const emoji = new RegExp('\\p{RGI_Emoji}', 'gv');
  let visible = '';
  let end = 0;
  for (const { 0: match, index } of text.matchAll(emoji)) {
    visible += escapeInvisible(text.slice(end, index)) + match;
    end = index + match.length;
  }
  return visible + escapeInvisible(text.slice(end));
}

/** Returns a text for a terminal. Line breaks and tabs remain. */
export function toVisibleText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(toVisibleLine).join('\t'))
    .join('\n');
}

/**
 * Returns one line of JSON. Escapes what `JSON.stringify` leaves as it is: control characters and marks of direction,
 * which terminals obey, and the line breaks of Unicode, where readers such as Python's `splitlines` end a line.
 */
export function toJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Replaces credentials, which a text may contain because its user has typed one in the wrong place. */
export function hideCredentials(text: string): string {
  return text.replace(CREDENTIAL, 'svc_$1_…');
}

function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
