import type { Token, Tokens } from 'marked';
import { isTabLanguage, type CodeBlock } from './code-block';

/** Adjacent code blocks in different languages, which are displayed as tabs. */
export interface TabGroupToken {
  type: 'tabs';
  raw: string;
  blocks: CodeBlock[];
}

const isCode = (token: Token): token is Tokens.Code => token.type === 'code';

/** Returns the block's code in the language that its info string begins with. Ignores the other words. */
export function toCodeBlock({ lang, text }: Tokens.Code): CodeBlock {
  return { language: lang?.split(/[\s{]/)[0] ?? '', code: text };
}

/**
 * Replaces runs of code blocks by tab groups. A run consists of blocks without anything between them, whose languages
 * are different ones of `sh`, `js`, `python` and `go`.
 */
export function groupTabs(tokens: readonly Token[]): Token[] {
  const grouped: Token[] = [];
  for (let start = 0; start < tokens.length;) {
    const token = tokens[start]!;
    const end = findRunEnd(tokens, start);
    const blocks = tokens.slice(start, end).filter(isCode);
    if (blocks.length > 1) {
      const group: TabGroupToken = {
        type: 'tabs',
        raw: blocks.map(({ raw }) => raw).join('\n'),
        blocks: blocks.map(toCodeBlock),
      };
      grouped.push(group);
      start = end;
      continue;
    }
    grouped.push(groupNestedTabs(token));
    start += 1;
  }
  return grouped;
}

/** Returns the index behind the last block of the run that begins at `start`. */
function findRunEnd(tokens: readonly Token[], start: number): number {
  const languages = new Set<string>();
  let end = start;
  for (let index = start; index < tokens.length; index++) {
    const token = tokens[index]!;
    if (token.type === 'space' && index > start) continue;
    if (!isCode(token)) break;
    const { language } = toCodeBlock(token);
    if (!isTabLanguage(language) || languages.has(language)) break;
    languages.add(language);
    end = index + 1;
  }
  return end;
}

/** Groups the blocks within the items of a list. */
function groupNestedTabs(token: Token): Token {
  if (token.type !== 'list') return token;
  const list = token as Tokens.List;
  return { ...list, items: list.items.map((item) => ({ ...item, tokens: groupTabs(item.tokens) })) };
}
