/** Registers a resource in the shared files of the service. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../lib.mjs';

/**
 * Returns the texts with the new entries by path.
 * @throws Error if a declaration is missing
 */
export function registrations(names) {
  const { Items, epoch } = names;
  const plural = names['items-file'];
  const migration = `Create${Items}${epoch}`;
  return edited([
    ['src/common/resources.ts', addEntries('RESOURCES', catalogueEntry(names))],
    ['src/app.module.ts', addImport(`${Items}Module`, `./modules/${plural}`)],
    ['src/app.module.ts', addEntryAfter('WebhooksModule', `${Items}Module,`)],
    ['migrations/index.ts', addImport(migration, `./${epoch}-create-${plural}`)],
    ['migrations/index.ts', addEntries('migrations', `${migration},`)],
  ]);
}

function catalogueEntry(names) {
  const plural = names['items-file'];
  const what = names['items words'];
  return `'${plural}': {
    noun: '${names['item words']}',
    idPrefix: '${names.prefix}',
    tag: { name: '${names['Items words']}', description: 'The ${what} of the account.' },
    devicePermissions: {
      '${plural}.write': { account: 'any', machine: 'no', what: 'create and delete ${what}' },
      '${plural}.read': { account: 'any', machine: 'no', what: 'read ${what} back' },
    },
  },`;
}

function edited(edits) {
  const texts = {};
  for (const [path, edit] of edits) {
    const text = texts[path] ?? readFileSync(join(root, path), 'utf8');
    const { position, insertion } = edit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
    texts[path] = text.slice(0, position) + insertion + text.slice(position);
  }
  return texts;
}

/** Adds entries at the end of a constant's object or array literal. */
function addEntries(constant, entries) {
  return (file) => {
    const { initializer } = findDeclaration(file, ts.isVariableDeclaration, constant);
    const literal = find(
      initializer,
      (node) => ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node),
      constant,
    );
    return { position: literal.end - 1, insertion: `  ${entries}\n` };
  };
}

/** Adds an entry after the one with this name in an array literal. */
function addEntryAfter(name, entry) {
  return (file) => {
    const isEntry = (node) => ts.isIdentifier(node) && node.text === name && ts.isArrayLiteralExpression(node.parent);
    return { position: find(file, isEntry, name).end + 1, insertion: `\n${entry}` };
  };
}

function addImport(name, path) {
  return (file) => {
    const imports = file.statements.filter(ts.isImportDeclaration);
    return { position: imports.at(-1).end, insertion: `\nimport { ${name} } from '${path}';` };
  };
}

function findDeclaration(file, isKind, name) {
  return find(file, (node) => isKind(node) && node.name.getText(file) === name, name);
}

/** Returns the first matching node in source order. */
function find(start, matches, name) {
  let found;
  const visit = (node) => {
    if (!found && matches(node)) found = node;
    if (!found) ts.forEachChild(node, visit);
  };
  visit(start);
  if (!found) throw new Error(`${start.getSourceFile().fileName}: ${name} not found`);
  return found;
}
