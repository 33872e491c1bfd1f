const OWN_FILES = 'It reads files of this repository.';
const PACKAGES = 'It reads modules of installed packages.';
const EMOJI =
  'The checker does not know the flag v. Every alternative begins at one character and repeats none without end; ' +
  '1 MB takes the time of ten times 100 kB.';

/** Expressions that may take polynomial time, or that can't be judged, by their text, with the reason. */
export const EXCEPTIONS = {
  // Service
  "new RegExp('\\\\p{RGI_Emoji}', 'gv')": EMOJI,
  "new RegExp(`\\\\p{RGI_Emoji}|${INVISIBLE}`, 'gv')": EMOJI,
  "new RegExp(`^${INVISIBLE}$`, 'v')": 'It matches one character.',
  'new RegExp(`^${TYPE_PATTERN}(,${TYPE_PATTERN})*$`)':
    'The event types are constants, of which none begins with another one and a comma. The text has 1,024 characters.',
  'new RegExp(`^${DELTA_KIND_PATTERN}(,${DELTA_KIND_PATTERN})*$`)':
    'The kinds are constants, of which none begins with another one and a comma. The text has 1,024 characters.',
  'new RegExp(`^http://(${LOOPBACK_HOST_PATTERN})(?::([1-9]\\\\d{0,4}))?($|[/?].*$)`)':
    'The three host names are constants, and nothing is repeated but the rest.',
  '/(\\/[^():]+\\.js):(\\d+):(\\d+)/': 'It reads one call site of a stack, whose text is from files of the program.',
  // Device and documentation
  '/(\\u0020+)$/u': 'undici reads data: URLs with it, which the GitHub action never requests.',
  "new RegExp(`(?<![\\\\w/.@=?&-])${escapeRegExp(url)}/?(?=$|[\\\\s\"'<>()]|[.,;](?:$|\\\\s))`, 'm')":
    'It searches for a fixed text.',
  'new RegExp(`(?<![\\\\w-])${escapeRegExp(expected)}(?![\\\\w-])`)': 'It searches for a fixed text.',
  "new RegExp(`(${escaped.join('|')})`, 'gi')":
    'It searches for fixed texts, which the reader of the page has entered.',
  "new RegExp(rules.map(([, source]) => `(${source})`).join('|'), 'gm')":
    'It reads samples of the guide, and code of agents of at most 20,000 characters.',
  '/\\[((?:[^\\][]|\\[[^\\]]*\\])*)\\]\\(([^)\\s]+)\\)/g': 'It reads the pages of the guide.',
  "new RegExp(QUANTITIES.join('|'), 'g')": 'A test reads the pages of the guide with it.',
  '/\\]\\([^)]*\\)/g': 'A test reads the pages of the guide with it.',
  // Tools
  '/^.*node_modules\\/(.+)$/': PACKAGES,
  '/^\\s*(\\*|\\/\\/|\\/\\*).*$/gm': PACKAGES,
  "new RegExp(`CREATE TABLE ${plural.replaceAll('-', '_')}\\\\b`)": OWN_FILES,
  'new RegExp(`\\`(/external)?/v1/${plural}[/\\`]`)': OWN_FILES,
  "new RegExp(patterns.join('|'))": 'It reads paths of this repository, with patterns of test/selection.cjs.',
  "new RegExp(pattern.replace(/^\\.\\//, '^'), 'i')":
    'It reads paths of this repository, with a pattern of the command line.',
  'new RegExp(`^${glob.replace(/\\*\\*\\/|[*{},.]/g, (token) => tokens[token])}$`)':
    'It reads paths of this repository, with globs of jest.config.js.',
};
