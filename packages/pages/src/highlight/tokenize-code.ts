import { LANGUAGES, type TokenKind } from './languages';

/** Part of code; `kind` is null for text without a color. */
export interface CodeToken {
  text: string;
  kind: TokenKind | null;
}

/** Longer code has no colors: an unclosed comment or string is searched for from each of its beginnings. */
const MAX_CODE_LENGTH = 20_000;

interface CompiledLanguage {
  pattern: RegExp;
  /** Kind of each capturing group. */
  kinds: readonly TokenKind[];
}

const compiledLanguages = new Map<string, CompiledLanguage>();

/**
 * Splits code into tokens, whose texts add up to the code. Uses patterns instead of a grammar, which is enough for
 * samples. Code in an unknown language, or of more than 20,000 characters, is one token.
 */
export function tokenizeCode(code: string, language: string): CodeToken[] {
  const compiled = code.length > MAX_CODE_LENGTH ? undefined : compileLanguage(language);
  if (!compiled) return [{ text: code, kind: null }];
  const tokens: CodeToken[] = [];
  let end = 0;
  for (const match of code.matchAll(compiled.pattern)) {
    if (match.index > end) tokens.push({ text: code.slice(end, match.index), kind: null });
    const group = match.slice(1).findIndex((text) => text !== undefined);
    tokens.push({ text: match[0], kind: compiled.kinds[group] ?? null });
    end = match.index + match[0].length;
  }
  if (end < code.length) tokens.push({ text: code.slice(end), kind: null });
  return tokens;
}

/** Compiles on first use, so that a browser needs to support only the patterns that its page uses. */
function compileLanguage(language: string): CompiledLanguage | undefined {
  const rules = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language]! : undefined;
  if (!rules) return undefined;
  let compiled = compiledLanguages.get(language);
  if (!compiled) {
    const pattern = new RegExp(rules.map(([, source]) => `(${source})`).join('|'), 'gm');
    compiled = { pattern, kinds: rules.map(([kind]) => kind) };
    compiledLanguages.set(language, compiled);
  }
  return compiled;
}
