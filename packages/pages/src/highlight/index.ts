export type { TokenKind } from './languages';
export { tokenizeCode, type CodeToken } from './tokenize-code';
