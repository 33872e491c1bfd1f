/** What a part of code is. Each kind has a color in base.css. */
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

/** C, C++, C#, Dart, Java, Kotlin, PHP, Rust, Scala and Swift, whose words are keywords in most of them. */
const C_RULES: LanguageRules = [
  ['comment', SLASH_COMMENT],
  ['string', String.raw`${DOUBLE_QUOTED}|'(?:[^'\\\n]|\\.)'`],
  ['number', NUMBER],
  [
    'keyword',
    buildKeywords(
      'abstract as async auto await bool boolean break case catch char class const constexpr continue crate ' +
        'default do double dyn else enum explicit extends extern final finally float fn for foreach fun func ' +
        'function guard if impl implements import in include inline int interface internal is let long loop ' +
        'match mod move mut namespace new null nullptr operator override package private protected pub public ' +
        'ref return sealed self short signed sizeof static struct super switch template this throw throws ' +
        'trait try type typedef typename union unsafe unsigned use using val var virtual void volatile when ' +
        'where while yield true false',
    ),
  ],
  ['function', CALL],
];

const SQL_KEYWORDS =
  'add all alter and as asc between by case column constraint create default delete desc distinct drop ' +
  'else end exists false foreign from full group having in index inner insert into is join key left ' +
  'like limit not null offset on or order outer primary references returning right select set table ' +
  'then true union unique update using values when where with';

const SQL_RULES: LanguageRules = [
  ['comment', String.raw`--[^\n]*|\/\*[^]*?\*\/`],
  ['string', String.raw`'[^']*'`],
  ['number', NUMBER],
  ['keyword', buildKeywords(`${SQL_KEYWORDS} ${SQL_KEYWORDS.toUpperCase()}`)],
];

const YAML_RULES: LanguageRules = [
  ['comment', String.raw`(?<=^|\s)#[^\n]*`],
  ['property', String.raw`(?<=^|[\s{,-])[\w./-]+(?=\s?[:=](?:\s|$))`],
  ['string', `${DOUBLE_QUOTED}|${SINGLE_QUOTED}`],
  ['number', NUMBER],
  ['keyword', buildKeywords('true false null')],
];

const CSS_RULES: LanguageRules = [
  ['comment', String.raw`\/\*[^]*?\*\/`],
  ['string', `${DOUBLE_QUOTED}|${SINGLE_QUOTED}`],
  ['property', String.raw`(?<=^|[\s{;])[\w-]+(?=\s?:\s)`],
  ['number', NUMBER],
  ['keyword', String.raw`@[\w-]+`],
];

const MARKUP_RULES: LanguageRules = [
  ['comment', String.raw`<!--[^]*?-->`],
  ['keyword', String.raw`<\/?[A-Za-z][\w:.-]*|\/?>`],
  ['string', String.raw`"[^"\n]*"|'[^'\n]*'`],
  ['property', String.raw`(?<=\s)[\w:-]+(?==)`],
];

const DIFF_RULES: LanguageRules = [
  ['comment', String.raw`^(?:@@|diff |index |--- |\+\+\+ )[^\n]*`],
  ['string', String.raw`^\+[^\n]*`],
  ['keyword', String.raw`^-[^\n]*`],
];

const HTTP_RULES: LanguageRules = [
  ['keyword', String.raw`^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(?= )|\bHTTP\/\d(?:\.\d)?`],
  ['property', String.raw`^[A-Za-z][\w-]*(?=: )`],
  ...JSON_RULES,
];

/** Rules by the names that fenced blocks use, which are endings of file names as well. */
export const LANGUAGES: Readonly<Record<string, LanguageRules>> = {
  json: JSON_RULES,
  jsonc: JSON_RULES,
  ...nameRules('js jsx javascript mjs cjs ts tsx typescript mts cts', SCRIPT_RULES),
  ...nameRules('python py', PYTHON_RULES),
  go: GO_RULES,
  ...nameRules('c cc cpp cs csharp dart h hpp java kotlin kt php rs rust scala swift', C_RULES),
  sql: SQL_RULES,
  ...nameRules('yaml yml toml ini', YAML_RULES),
  ...nameRules('css scss less', CSS_RULES),
  ...nameRules('html xml svg vue', MARKUP_RULES),
  ...nameRules('diff patch', DIFF_RULES),
  ...nameRules('sh bash shell zsh console', SHELL_RULES),
  http: HTTP_RULES,
};

function nameRules(names: string, rules: LanguageRules): Record<string, LanguageRules> {
  return Object.fromEntries(names.split(' ').map((name) => [name, rules]));
}
