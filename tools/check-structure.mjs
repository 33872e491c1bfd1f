/** Measures the figures of docs/architecture.md#measured and fails above a limit. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { root } from './lib.mjs';
import { RETIRED_WORDS, ROLE_WORDS, WIRE_NAMES } from './structure/words.mjs';

const SPLINTER_LINES = 60;
const MAX_COLUMNS = 120;
const LAST_WORD = /[A-Z]?[a-z0-9]+$/;
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/g;
/** Methods that the framework calls by name. */
const LIFECYCLE = /^(on[A-Z]\w*|before[A-Z]\w*|constructor|use|catch|intercept|transform|validate|authenticate)$/;

const paths = list(join(root, 'src')).filter((path) => /\.tsx?$/.test(path) && !/\.spec\.tsx?$/.test(path));
const files = paths.map((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  return {
    path,
    lines: text.split('\n').length - 1,
    source: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
  };
});
const declarations = files.flatMap(({ path, source }) => collectDeclarations(path, source));
const lines = files.map((file) => file.lines).sort((a, b) => a - b);

const classes = declarations.filter(({ kind }) => kind === 'class');
const injectables = classes.filter(({ isInjectable }) => isInjectable);
const withoutRole = injectables.filter(({ name }) => !ROLE_WORDS.has(LAST_WORD.exec(name)?.[0]));
const methods = declarations.filter(({ kind, name }) => kind === 'method' && !LIFECYCLE.test(name));
const oneWord = methods.filter(({ name }) => name.match(WORDS)?.length === 1);
const retired = declarations.filter(({ name }) => !WIRE_NAMES.has(name) && containsRetiredWord(name));
const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());

const results = [
  measure('folders in src/', folders.length, 8),
  measure('source files (reported only)', files.length, Infinity),
  measure('mean lines of a file (reported only)', Math.round(lines.reduce((a, b) => a + b) / lines.length), Infinity),
  measure('lines, 95th percentile', lines[Math.floor(lines.length * 0.95)], 220),
  measure('lines, longest file', lines.at(-1), 300),
  measure(`files under ${SPLINTER_LINES} lines with one reader beside them`, ...withList(findSplinters(), 15)),
  measure(`lines over ${MAX_COLUMNS} columns`, ...withList(findLongLines(), 0)),
  measure('injectables without a role word, %', percentage(withoutRole, injectables), 5, withoutRole),
  measure('one-word methods, %', percentage(oneWord, methods), 35),
  measure('exported names with two meanings', ...withList(findAmbiguousExports(), 0)),
  measure('identifiers with retired words', ...withList(retired, 0)),
  measure(
    '@Global modules',
    ...withList(
      classes.filter(({ isGlobal }) => isGlobal),
      3,
    ),
  ),
  measure('timer loops beside PeriodicTask', ...withList(findTimerLoops(), 0)),
];

const showsAll = process.argv.includes('--list');
for (const { name, value, limit, found } of results) {
  const isMet = value <= limit;
  console.log(`${isMet ? ' ' : '✗'} ${name}: ${value}${limit === Infinity ? '' : ` (at most ${limit})`}`);
  if (!isMet || showsAll) for (const { path, name: item } of found) console.log(`    ${path}: ${item}`);
}
process.exit(results.every(({ value, limit }) => value <= limit) ? 0 : 1);

function measure(name, value, limit, found = []) {
  return { name, value, limit, found };
}

function withList(found, limit) {
  return [found.length, limit, found];
}

function percentage(part, whole) {
  return Math.round((part.length / whole.length) * 1000) / 10;
}

function list(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Prettier breaks code, but neither comments nor texts. Generated files and landed migrations stay as they are. */
function findLongLines() {
  const sources = ['src', 'test', 'bench', 'tools'].flatMap((folder) => list(join(root, folder)));
  return sources
    .filter((path) => /\.(tsx?|m?js|lua)$/.test(path) && !path.includes('/generated/'))
    .flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (line.length > MAX_COLUMNS ? [{ path, name: `line ${index + 1}` }] : [])),
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
    } else if (ts.isParameter(node) || ts.isPropertyDeclaration(node) || ts.isGetAccessor(node)) {
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

/** Ignores src/programs/: these programs import nothing of the service. */
function findAmbiguousExports() {
  const byName = new Map();
  for (const declaration of declarations) {
    if (!declaration.isExported || declaration.path.startsWith('src/programs/')) continue;
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
    .filter(({ path }) => path !== 'src/common/periodic-task.ts' && !path.startsWith('src/programs/'))
    .filter(({ source }) => /\bsetInterval\(/.test(source.text))
    .map(({ path }) => ({ path, name: 'setInterval' }));
}

/** Each of these is the bundle of a page (tools/build-browser.mjs). */
function isBrowserPage(path) {
  return /^src\/web\/(console|docs)\/browser$/.test(dirname(path));
}
