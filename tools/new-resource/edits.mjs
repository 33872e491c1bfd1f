/** Insertions into files of the repository, found by declarations instead of positions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from '../typescript-api.mjs';
import { root } from '../lib.mjs';

/**
 * Applies insertions to the texts of their files.
 * @param edits pairs of a path and a function from the text to `{ position, insertion }`
 * @returns the new texts by path
 * @throws Error if a declaration is missing
 */
export function applyEdits(edits) {
  const texts = {};
  for (const [path, edit] of edits) {
    const text = texts[path] ?? readFileSync(join(root, path), 'utf8');
    const { position, insertion } = edit(text, path);
    texts[path] = text.slice(0, position) + insertion + text.slice(position);
  }
  return texts;
}

/** Adds entries at the end of a constant's array literal. */
export function addEntries(constant, entries) {
  return inSource((file) => {
    const isConstant = (node) => ts.isVariableDeclaration(node) && node.name.getText(file) === constant;
    const { initializer } = find(file, isConstant, constant);
    const position = find(initializer, ts.isArrayLiteralExpression, constant).end - 1;
    return { position, insertion: `  ${entries}\n` };
  });
}

/** Adds an entry after the identifier with this name in an array literal. */
export function addEntryAfter(name, entry) {
  return inSource((file) => {
    const isEntry = (node) => ts.isIdentifier(node) && node.text === name && ts.isArrayLiteralExpression(node.parent);
    return { position: find(file, isEntry, name).end + 1, insertion: `\n${entry}` };
  });
}

export function addImport(name, path) {
  return inSource((file) => {
    const imports = file.statements.filter(ts.isImportDeclaration);
    return { position: imports.at(-1).end, insertion: `\nimport { ${name} } from '${path}';` };
  });
}

const inSource = (edit) => (text, path) => edit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));

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
