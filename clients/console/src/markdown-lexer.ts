/** Lexer of Markdown, which the session's page loads by its address: it is a quarter of what that page needs. */
import { Lexer, Tokenizer, type Token } from 'marked';

/** Longer text is shown as it was written: some of the lexer's expressions take quadratic time. */
export const MAX_MARKDOWN_LENGTH = 32_768;
/** Quotes, lists and emphasis below this depth are shown as they were written. */
export const MAX_DEPTH = 12;
/** Cells of a table, which has as many in each row as in its head. A larger table is shown as it was written. */
export const MAX_CELLS = 5_000;

/** Links of a paragraph. One with more is text: the lexer's time grows with the third power of links that don't end. */
export const MAX_LINKS = 40;
export const MAX_DELIMITERS = 400;

const NESTING = ['blockquote', 'list', 'emStrong', 'del', 'link', 'reflink'] as const;

/**
 * Splits Markdown of an agent into tokens, without HTML, whose tags stay text. Returns null for text that is too long,
 * or that the lexer can't read.
 */
export function lexMarkdown(text: string): Token[] | null {
  if (text.length > MAX_MARKDOWN_LENGTH) return null;
  try {
    return new BoundedLexer({ gfm: true, breaks: true, tokenizer: createTokenizer() }).lex(text);
  } catch {
    return null;
  }
}

class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    const isBounded =
      source.split('](', MAX_LINKS + 2).length <= MAX_LINKS + 1 &&
      source.split(/[[*_~`(]/, MAX_DELIMITERS + 2).length <= MAX_DELIMITERS + 1;
    if (isBounded) return super.inlineTokens(source, tokens);
    tokens.push({ type: 'text', raw: source, text: source });
    return tokens;
  }
}

function createTokenizer(): Tokenizer {
  const tokenizer = new Tokenizer();
  const readTable = tokenizer.table.bind(tokenizer);
  Object.assign(tokenizer, {
    html: () => undefined,
    tag: () => undefined,
    table: (source: string) => (countCells(source) > MAX_CELLS ? undefined : readTable(source)),
  });
  limitDepth(tokenizer);
  return tokenizer;
}

/** What is nested deeper doesn't count as markup. The lexer calls itself for each level. */
function limitDepth(tokenizer: Tokenizer): void {
  let depth = 0;
  for (const name of NESTING) {
    const readToken = tokenizer[name].bind(tokenizer) as (...sources: unknown[]) => Token | undefined;
    const readNested = (...sources: unknown[]): Token | undefined => {
      if (depth === MAX_DEPTH) return undefined;
      depth++;
      try {
        return readToken(...sources);
      } finally {
        depth--;
      }
    };
    Object.assign(tokenizer, { [name]: readNested });
  }
}

/** Returns how many cells a table at the beginning of the text would have; 0 if there is none. */
function countCells(source: string): number {
  const [, delimiters = ''] = source.split('\n', 2);
  if (!delimiters.includes('-') || !/^[ :|-]*$/.test(delimiters)) return 0;
  const end = source.indexOf('\n\n');
  const rows = source.slice(0, end === -1 ? undefined : end).split('\n').length;
  return rows * delimiters.split('|').length;
}
