/**
 * Characters that people can't see or that change how text is shown: controls except tab and line feed, marks of
 * direction, zero-width and other format characters, fillers, and the empty Braille pattern.
 */
const INVISIBLE = '[[\\p{Cf}\\p{Cc}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\u2800]--[\\t\\n]]';
/** Emoji contain joiners and selectors, which are no risk there. */
const EMOJI_OR_INVISIBLE = new RegExp(`\\p{RGI_Emoji}|${INVISIBLE}`, 'gv');
const ONLY_INVISIBLE = new RegExp(`^${INVISIBLE}$`, 'v');

/** Returns text in which nothing is hidden: invisible characters become escapes such as `\u{202e}`. */
export function showInvisibleCharacters(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(EMOJI_OR_INVISIBLE, (match) =>
      ONLY_INVISIBLE.test(match) ? `\\u{${match.codePointAt(0)!.toString(16)}}` : match,
    );
}

/** Shortens an id in the middle: `ses_01m7…4k2q`. */
export function shortenId(id: string): string {
  return id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}
