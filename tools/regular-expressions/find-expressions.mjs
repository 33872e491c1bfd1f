import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from '../typescript-api.mjs';

const SOURCE = /\.(tsx?|[mc]?js)$/;
const EXCLUDED = /\.spec\.|(^|\/)(node_modules|dist|generated)\//;

const CONSTRUCTORS = ['RegExp', 'globalThis.RegExp'];
const CONVERTING_METHODS = ['match', 'matchAll', 'search'];

/**
 * Returns every regular expression of these folders but those of tests: literals, and calls of `RegExp`. Constants in
 * the text of a call are resolved, also imported ones.
 *
 * @returns `place`: file and line; `text`: the literal, or the call with its white space folded; `source` and `flags`:
 *   null if the text of a call is known only when the program runs
 */
export function findExpressions(root, folders) {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((path) => `${folder}/${path}`)
      .filter((path) => SOURCE.test(path) && !EXCLUDED.test(path)),
  );
  return paths.sort().flatMap((path) => findInFile(root, path));
}

function findInFile(root, path) {
  const file = parse(join(root, path));
  const found = [];
  const add = (node, expression) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    found.push({ place: `${path}:${line + 1}`, ...expression });
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) add(node, { text: node.text, ...splitLiteral(node.text) });
    else if (isConversion(node, file))
      add(node, { text: node.getText(file), source: node.arguments[0].text, flags: '' });
    else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      CONSTRUCTORS.includes(node.expression.getText(file))
    ) {
      const [source, flags] = node.arguments ?? [];
      const text = node.getText(file).replace(/\s+/g, ' ');
      add(node, {
        text,
        source: source ? resolveText(source, file) : '',
        flags: flags ? resolveText(flags, file) : '',
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Returns whether the call makes an expression of a text, such as `text.match('a+')`. */
function isConversion(node, file) {
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    CONVERTING_METHODS.includes(node.expression.name.getText(file)) &&
    node.arguments[0] !== undefined &&
    ts.isStringLiteralLike(node.arguments[0])
  );
}

function splitLiteral(text) {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

/** Returns the text of a constant expression, or null. */
function resolveText(node, file) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return splitLiteral(node.text).source;
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'String.raw') {
    return resolveTemplate(node.template, file, (part) => part.rawText);
  }
  if (ts.isTemplateExpression(node)) return resolveTemplate(node, file, (part) => part.text);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return joinTexts([resolveText(node.left, file), resolveText(node.right, file)]);
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) return resolveJoin(node, file);
  return ts.isIdentifier(node) ? resolveConstant(node.text, file) : null;
}

/** Resolves `[…].join(separator)`. */
function resolveJoin({ expression: { expression, name }, arguments: [separator] }, file) {
  if (!ts.isArrayLiteralExpression(expression) || name.text !== 'join' || !separator) return null;
  const parts = [separator, ...expression.elements].map((each) => resolveText(each, file));
  return parts.includes(null) ? null : parts.slice(1).join(parts[0]);
}

function resolveTemplate(template, file, read) {
  if (!ts.isTemplateExpression(template)) return read(template);
  const spans = template.templateSpans.flatMap(({ expression, literal }) => [
    resolveText(expression, file),
    read(literal),
  ]);
  return joinTexts([read(template.head), ...spans]);
}

const joinTexts = (texts) => (texts.includes(null) ? null : texts.join(''));

/** Resolves a constant of the module. Another variable of its name, in an inner scope, makes it unknown. */
function resolveConstant(name, file) {
  if (countVariables(file, name) > 1) return null;
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement) && statement.declarationList.flags & ts.NodeFlags.Const) {
      const found = statement.declarationList.declarations.find((each) => each.name.getText(file) === name);
      if (found) return found.initializer ? resolveText(found.initializer, file) : null;
    }
    const imported = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : undefined;
    const binding = imported?.elements?.find((each) => each.name.text === name);
    if (binding)
      return resolveImport(statement.moduleSpecifier.text, (binding.propertyName ?? binding.name).text, file);
  }
  return null;
}

function countVariables(node, name) {
  const isNamed =
    (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) &&
    ts.isIdentifier(node.name) &&
    node.name.text === name;
  let count = isNamed ? 1 : 0;
  ts.forEachChild(node, (child) => {
    count += countVariables(child, name);
  });
  return count;
}

function resolveImport(specifier, name, file) {
  if (!specifier.startsWith('.')) return null;
  const base = join(dirname(file.fileName), specifier);
  const path = [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`].find(
    (each) => SOURCE.test(each) && existsSync(each),
  );
  return path ? resolveConstant(name, parse(path)) : null;
}

function parse(path) {
  return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false);
}
