/** Emoji recommended for general interchange (UTS #51), with the joiners and selectors they contain. */
const EMOJI = new RegExp('\\p{RGI_Emoji}', 'gv');
/** Zero-width non-joiner between Arabic letters, which Persian spelling requires. */
const ARABIC_NON_JOINER = /(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/gu;
/** Invisible characters: format characters, fillers, line and paragraph separators, the empty Braille pattern. */
const INVISIBLE = /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Returns whether all characters of a name are visible, so that names that look alike can't differ invisibly. */
export function isVisibleText(text: string): boolean {
  const plain = text.replace(EMOJI, '+').replace(ARABIC_NON_JOINER, '');
  return plain.search(INVISIBLE) === -1 && VISIBLE.test(plain);
}

/** Returns a stored name for display, with U+FFFD in place of invisible characters. */
export function toVisibleText(text: string): string {
  if (isVisibleText(text)) return text;
  const visible = text.replace(INVISIBLE, '\ufffd');
  return VISIBLE.test(visible) ? visible : '\ufffd';
}
