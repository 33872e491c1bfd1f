/** Insertions into files of the repository, found by declarations instead of positions. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../lib.mjs';

/**
 * Applies insertions to the texts of their files.
 * @param edits pairs of a path and a function from the text to `{ position, insertion }`
 * @returns the new texts by path
 * @throws Error if a declaration or table is missing
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

/**
 * Adds entries to a constant's object or array literal.
 * @param next entry that must remain after them; by default they become the last ones
 */
export function addEntries(constant, entries, next) {
  return inSource((file) => {
    const isConstant = (node) => ts.isVariableDeclaration(node) && node.name.getText(file) === constant;
    const { initializer } = find(file, isConstant, constant);
    const isLiteral = (node) => ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node);
    const literal = find(initializer, isLiteral, constant);
    const position = next ? findEntry(literal, next).getStart(file) : literal.end - 1;
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

/**
 * Adds rows to a Markdown table.
 * @param heading text of the first heading cell
 * @param next first cell of the row that must remain after them; by default they become the last ones
 */
export function addTableRows(heading, rows, next) {
  return (text, path) => {
    const start = new RegExp(`^\\| ${heading} .*\\n`, 'm').exec(text);
    if (!start) throw new Error(`${path}: table ${heading} not found`);
    const [table] = /^(\|.*\n)+/.exec(text.slice(start.index));
    const offset = next ? table.indexOf(`| ${next} `) : table.length;
    if (offset < 0) throw new Error(`${path}: row ${next} not found`);
    return {
      position: start.index + offset,
      insertion: rows.map((cells) => `| ${cells.join(' | ')} |\n`).join(''),
    };
  };
}

const inSource = (edit) => (text, path) => edit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));

function findEntry(literal, name) {
  const nameOf = (entry) => (ts.isPropertyAssignment(entry) ? entry.name : entry).text;
  return find(literal, (node) => node.parent === literal && nameOf(node) === name, name);
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
