/** Measures the figures of docs/architecture.md#measured and fails above a limit. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import ts from './typescript-api.mjs';
import { root } from './lib.mjs';
import { registrations } from './new-resource/registrations.mjs';
import { findWrongLimits } from './structure/documented-limits.mjs';
import { findEventLists } from './structure/event-lists.mjs';
import {
  findEnvironmentReads,
  findExportedTables,
  findForeignStatements,
  findHandlerLookUps,
} from './structure/reserved-code.mjs';
import { compareTables } from './structure/table-owners.mjs';
import { RETIRED_WORDS, ROLE_WORDS, WIRE_NAMES } from './structure/words.mjs';

const MEASURED = ['src', 'packages', ...['console', 'device', 'docs', 'quickstart'].map((name) => `clients/${name}`)];
const SPLINTER_LINES = 60;
const MAX_COLUMNS = 120;
/** The formatter keeps an import of one name on one line. */
const UNBREAKABLE = /^import \{ \w+ \} from /;
const LAST_WORD = /[A-Z][a-z0-9]*$/;
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g;
/** What a device answers, what became of a call, what its caller gets, and what is stored (docs/glossary.md#relay). */
const STAGE_TYPE = /^(Call|Device|Relay|Stored)(Answer|Outcome|Reply|Response|Result)$/;
/** Methods that the framework calls by name. */
const LIFECYCLE = /^(on[A-Z]\w*|before[A-Z]\w*|constructor|use|catch|intercept|transform|validate|authenticate)$/;

/** Names inside of a class, an interface, an object, an enumeration or a signature. */
const MEMBERS = [
  ts.isParameter,
  ts.isPropertyDeclaration,
  ts.isGetAccessor,
  ts.isPropertySignature,
  ts.isMethodSignature,
  ts.isEnumMember,
  ts.isPropertyAssignment,
  ts.isMethodDeclaration,
  ts.isTypeParameterDeclaration,
];

const paths = MEASURED.flatMap((folder) => list(join(root, folder))).filter(
  (path) => /\.tsx?$/.test(path) && !path.includes('/generated/'),
);
const files = paths.filter((path) => !isSpec(path)).map(readSource);
const specs = paths.filter(isSpec).map(readSource);
const declarations = files.flatMap(({ path, source }) => collectDeclarations(path, source));
const lines = files.map((file) => file.lines).sort((a, b) => a - b);

const classes = declarations.filter(({ kind }) => kind === 'class');
const injectables = classes.filter(({ isInjectable }) => isInjectable);
const withoutRole = injectables.filter(({ name }) => !ROLE_WORDS.has(LAST_WORD.exec(name)?.[0]));
const methods = declarations.filter(({ kind, name }) => kind === 'method' && !LIFECYCLE.test(name));
const oneWord = methods.filter(({ name }) => name.match(WORDS)?.length === 1);
const retired = declarations.filter(({ name }) => !WIRE_NAMES.has(name) && containsRetiredWord(name));
const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());

const tables = compareTables(files);
const largest = countLargestModule();
const registered = registrations({ Items: 'Notes', items: 'notes', 'items-file': 'notes', epoch: 0 });

const results = [
  measure('folders in src/', folders.length, 8),
  measure('lines of src/ without specs', countLinesOf('src/'), 66_000),
  measure('source files (reported only)', files.length, Infinity),
  measure('mean lines of a file (reported only)', Math.round(lines.reduce((a, b) => a + b) / lines.length), Infinity),
  measure('files of the largest module in src/modules/', largest.count, 50, largest.found),
  measure('files outside its folder that a new resource edits', Object.keys(registered).length, 3),
  measure('lines of a file, 95th percentile', lines[Math.floor(lines.length * 0.95)], 220),
  measure('lines of the longest file', lines.at(-1), 300),
  measure(`files under ${SPLINTER_LINES} lines with one reader beside them`, ...withList(findSplinters(), 15)),
  measure(`lines of code or comment over ${MAX_COLUMNS} columns`, ...withList(findLongLines(), 0)),
  measure('injectables whose name has no role, %', percentage(withoutRole, injectables), 5, withoutRole),
  measure('methods of one word, %', percentage(oneWord, methods), 35),
  measure('exported names with two meanings', ...withList(findAmbiguousExports(), 0)),
  measure('identifiers with a retired word', ...withList(retired, 0)),
  measure(
    '@Global modules',
    ...withList(
      classes.filter(({ isGlobal }) => isGlobal),
      3,
    ),
  ),
  measure('timer loops beside PeriodicTask', ...withList(findTimerLoops(), 0)),
  measure(
    'reads of the environment outside src/core/config',
    ...withList(files.concat(specs).flatMap(findEnvironmentReads), 0),
  ),
  measure("look-ups of a route's decorators beside RouteFact", ...withList(files.flatMap(findHandlerLookUps), 0)),
  measure(
    'types for the stages of a relayed call',
    ...withList(
      declarations.filter(({ path, name }) => path.startsWith('src/') && STAGE_TYPE.test(name)),
      4,
    ),
  ),
  measure('lists of event types beside the manifests', ...withList(findEventLists(files), 0)),
  measure('entities and repositories that a module exports', ...withList(files.flatMap(findExportedTables), 0)),
  measure('SQL statements outside repositories', ...withList(files.flatMap(findForeignStatements), 0)),
  measure('tables and accesses that no manifest declares', ...withList(tables.undeclared, 0)),
  measure('writes to tables of others', ...withList(tables.written, 3)),
];

results.push(measure('limits that differ from docs/architecture.md', ...withList(findWrongLimits(results), 0)));

const showsAll = process.argv.includes('--list');
for (const { name, value, limit, found } of results) {
  const isMet = value <= limit;
  console.log(`${isMet ? ' ' : '✗'} ${name}: ${value}${limit === Infinity ? '' : ` (at most ${limit})`}`);
  if (!isMet || showsAll) for (const { path, name: item } of found) console.log(`    ${path}: ${item}`);
}
process.exit(results.every(({ value, limit }) => value <= limit) ? 0 : 1);

function isOfProgram(path) {
  return /^(clients|src\/programs)\//.test(path);
}

function isSpec(path) {
  return /\.spec\.tsx?$/.test(path);
}

function readSource(path) {
  const text = readFileSync(join(root, path), 'utf8');
  return {
    path,
    lines: text.split('\n').length - 1,
    source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  };
}

function measure(name, value, limit, found = []) {
  return { name, value, limit, found };
}

function withList(found, limit) {
  return [found.length, limit, found];
}

function percentage(part, whole) {
  return Math.round((part.length / whole.length) * 1000) / 10;
}

function countLinesOf(folder) {
  const own = files.filter(({ path }) => path.startsWith(folder) && !path.includes('/testing/'));
  return own.reduce((sum, file) => sum + file.lines, 0);
}

/** Returns the number of its files without specs, and names it. */
function countLargestModule() {
  const counts = new Map();
  for (const { path } of files) {
    const module = /^src\/modules\/[^/]+\//.exec(path)?.[0];
    if (module) counts.set(module, (counts.get(module) ?? 0) + 1);
  }
  const [[path, count]] = [...counts].sort(([, a], [, b]) => b - a);
  return { count, found: [{ path, name: `${count} files` }] };
}

function list(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** oxfmt breaks code, but neither comments nor texts. Generated files and landed migrations stay as they are. */
function findLongLines() {
  const sources = [...MEASURED, 'test', 'bench', 'tools'].flatMap((folder) => list(join(root, folder)));
  return sources
    .filter((path) => /\.(tsx?|m?js|lua)$/.test(path) && !path.includes('/generated/'))
    .flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          line.length > MAX_COLUMNS && !UNBREAKABLE.test(line) ? [{ path, name: `line ${index + 1}` }] : [],
        ),
    );
}

function collectDeclarations(path, source) {
  const found = [];
  const add = (kind, node, extra = {}) => {
    if (node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name)))
      found.push({ kind, path, name: node.name.text.replace(/^#/, ''), ...extra });
  };
  const visit = (node) => {
    if (ts.isClassDeclaration(node)) {
      const decorators = (ts.getDecorators(node) ?? []).map((decorator) => decorator.getText(source));
      add('class', node, {
        isInjectable: decorators.some((text) => /^@(Injectable|WebSocketGateway|Catch)\(/.test(text)),
        isGlobal: decorators.some((text) => text.startsWith('@Global(')),
        isExported: isExported(node),
      });
    } else if (ts.isMethodDeclaration(node) && ts.isClassDeclaration(node.parent)) {
      if (!node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.OverrideKeyword)) add('method', node);
    } else if (ts.isFunctionDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      add('declaration', node, { isExported: isExported(node) });
    } else if (ts.isVariableDeclaration(node)) {
      add('declaration', node, { isExported: isExported(node.parent.parent) });
    } else if (MEMBERS.some((isMember) => isMember(node))) {
      add('member', node);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isExported(node) {
  return Boolean(node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword));
}

function containsRetiredWord(name) {
  return (name.match(WORDS) ?? []).some((word) => RETIRED_WORDS.has(word.toLowerCase()));
}

/** Ignores programs that import nothing of the service. */
function findAmbiguousExports() {
  const byName = new Map();
  for (const declaration of declarations) {
    // Declarations without code name what a source defines.
    if (!declaration.isExported || isOfProgram(declaration.path) || declaration.path.endsWith('.d.ts')) continue;
    byName.set(declaration.name, [...(byName.get(declaration.name) ?? []), declaration]);
  }
  return [...byName.values()].filter((found) => new Set(found.map(({ path }) => path)).size > 1).flat();
}

function findSplinters() {
  const readers = new Map();
  for (const { path, source } of files) {
    for (const { moduleSpecifier } of source.statements.filter((node) => node.moduleSpecifier)) {
      if (!moduleSpecifier.text.startsWith('.')) continue;
      const target = join(dirname(path), moduleSpecifier.text);
      readers.set(target, [...(readers.get(target) ?? []), path]);
    }
  }
  const exempt =
    /(index|main|\.(module|controller|entity|dto|repository|guard|filter|strategy|service|middleware))\.tsx?$/;
  return files
    .filter(({ path, lines: count }) => count < SPLINTER_LINES && !exempt.test(path) && !isBrowserPage(path))
    .filter(({ path }) => {
      const all = readers.get(path.replace(/\.tsx?$/, '')) ?? [];
      return all.length === 1 && dirname(all[0]) === dirname(path) && !/^(index|portable)\.ts$/.test(basename(all[0]));
    })
    .map(({ path, lines: count }) => ({ path, name: `${count} lines` }));
}

function findTimerLoops() {
  return files
    .filter(({ path }) => path !== 'src/common/periodic-task.ts' && !isOfProgram(path))
    .filter(({ source }) => /\bsetInterval\(/.test(source.text))
    .map(({ path }) => ({ path, name: 'setInterval' }));
}

/** Each of these is the bundle of a page (tools/build-browser.mjs). */
function isBrowserPage(path) {
  return /^clients\/(console|docs)\/src$/.test(dirname(path));
}
