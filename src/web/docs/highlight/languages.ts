/** What a part of code is. Each kind has a color in docs.css. */
export type TokenKind = 'comment' | 'string' | 'number' | 'keyword' | 'property' | 'function' | 'variable' | 'option';

/** A language's rules in the order of precedence: the first that matches at a position wins. */
export type LanguageRules = readonly (readonly [kind: TokenKind, pattern: string])[];

const DOUBLE_QUOTED = String.raw`"(?:[^"\\\n]|\\.)*"`;
const SINGLE_QUOTED = String.raw`'(?:[^'\\\n]|\\.)*'`;
const BACKTICKED = '`(?:[^`\\\\]|\\\\[^])*`';
const NUMBER = String.raw`(?<![\w$])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b`;
const CALL = String.raw`(?<![\w$])[A-Za-z_$][\w$]*(?=\()`;
const SLASH_COMMENT = String.raw`\/\/[^\n]*|\/\*[^]*?\*\/`;
const buildKeywords = (words: string) => String.raw`(?<![\w$.])(?:${words.replaceAll(' ', '|')})(?![\w$])`;

const JSON_RULES: LanguageRules = [
  ['property', String.raw`${DOUBLE_QUOTED}(?=\s*:)`],
  ['string', DOUBLE_QUOTED],
  ['number', NUMBER],
  ['keyword', buildKeywords('true false null')],
];

const SCRIPT_RULES: LanguageRules = [
  ['comment', SLASH_COMMENT],
  ['string', `${DOUBLE_QUOTED}|${SINGLE_QUOTED}|${BACKTICKED}`],
  ['number', NUMBER],
  [
    'keyword',
    buildKeywords(
      'as async await break case catch class const continue default delete else export extends false finally for ' +
        'from function if import in instanceof interface let new null of return switch this throw true try type ' +
        'typeof undefined var void while yield',
    ),
  ],
  ['function', CALL],
];

const PYTHON_RULES: LanguageRules = [
  ['comment', String.raw`#[^\n]*`],
  ['string', String.raw`(?<!\w)[rbfu]{0,2}(?:"""[^]*?"""|'''[^]*?'''|${DOUBLE_QUOTED}|${SINGLE_QUOTED})`],
  ['number', NUMBER],
  [
    'keyword',
    buildKeywords(
      'and as assert async await break class continue def del elif else except False finally for from global if ' +
        'import in is lambda None nonlocal not or pass raise return True try while with yield',
    ),
  ],
  ['function', CALL],
];

const GO_RULES: LanguageRules = [
  ['comment', SLASH_COMMENT],
  ['string', `${DOUBLE_QUOTED}|${SINGLE_QUOTED}|${BACKTICKED}`],
  ['number', NUMBER],
  [
    'keyword',
    buildKeywords(
      'break case chan const continue default defer else false for func go goto if import interface map nil package ' +
        'range return select struct switch true type var',
    ),
  ],
  ['function', CALL],
];

const SHELL_RULES: LanguageRules = [
  ['comment', String.raw`(?<=^|\s)#[^\n]*`],
  ['variable', String.raw`(?<=^|\s)[A-Za-z_]\w*(?==)`],
  ['string', String.raw`"(?:[^"\\]|\\[^])*"|'[^']*'`],
  ['variable', String.raw`\$\{[^}\n]*\}|\$\w+`],
  ['option', String.raw`(?<=\s)--?[A-Za-z][\w-]*`],
  ['function', String.raw`(?<=^|[|;&(]\s?)[a-z][\w./-]*(?=\s|$)`],
];

const HTTP_RULES: LanguageRules = [
  ['keyword', String.raw`^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(?= )|\bHTTP\/\d(?:\.\d)?`],
  ['property', String.raw`^[A-Za-z][\w-]*(?=: )`],
  ...JSON_RULES,
];

/** Rules by the names that fenced blocks use. */
export const LANGUAGES: Readonly<Record<string, LanguageRules>> = {
  json: JSON_RULES,
  js: SCRIPT_RULES,
  javascript: SCRIPT_RULES,
  mjs: SCRIPT_RULES,
  ts: SCRIPT_RULES,
  typescript: SCRIPT_RULES,
  python: PYTHON_RULES,
  py: PYTHON_RULES,
  go: GO_RULES,
  sh: SHELL_RULES,
  bash: SHELL_RULES,
  shell: SHELL_RULES,
  http: HTTP_RULES,
};
