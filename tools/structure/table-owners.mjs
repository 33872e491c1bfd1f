import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from '../typescript-api.mjs';
import { root } from '../lib.mjs';

const ACCESS = /\b(DELETE\s+FROM|FROM|JOIN|INTO|UPDATE|USING)\s+(?:ONLY\s+)?"?([a-z_]+)/g;
const READ = /^(FROM|JOIN|USING)$/;
const MODULE = /^src\/((?:core|access|modules|web|programs)\/[^/]+)\//;
const MANIFEST = /\.manifest\.ts$/;
/** Runs before there are modules, and for tables of any owner. */
const INFRASTRUCTURE = 'core/database';

/**
 * Compares the tables that manifests declare with the schema, the entities and the SQL.
 *
 * @param files of `src/`, without specs
 * @returns `undeclared`: tables and accesses that no manifest declares, and declarations without an access; `written`:
 *   declared writes to tables of other modules
 */
export function compareTables(files) {
  const declarations = files.filter(({ path }) => MANIFEST.test(path)).flatMap(readDeclarations);
  const owners = new Map(
    declarations.filter(({ kind }) => kind === 'owned').map(({ table, module }) => [table, module]),
  );
  const accesses = files.flatMap((file) => collectAccesses(file, owners));
  const foreign = declarations.filter(({ kind }) => kind !== 'owned');
  return {
    undeclared: [
      ...compareOwners(files, declarations, owners),
      ...accesses
        .filter((access) => !foreign.some((declared) => isSame(declared, access)))
        .map(({ path, kind, table }) => ({ path, name: `${table} is ${kind}, but belongs to ${owners.get(table)}` })),
      ...foreign
        .filter((declared) => !accesses.some((access) => isSame(declared, access)))
        .map(({ path, kind, table }) => ({ path, name: `${table} is no longer ${kind}` })),
    ],
    written: foreign
      .filter(({ kind }) => kind === 'written')
      .map(({ path, table, reason }) => ({ path, name: `${table} of ${owners.get(table)}: ${reason}` })),
  };
}

const isSame = (a, b) => a.module === b.module && a.kind === b.kind && a.table === b.table;

/** Returns the tables of a manifest: `owned`, `read`, or `written` with a reason. */
function readDeclarations({ path, source }) {
  const found = [];
  const visit = (node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'tables')
      for (const { name, initializer } of node.initializer.properties)
        for (const entry of initializer.elements ?? initializer.properties)
          found.push({
            path,
            module: toModule(path),
            kind: name.getText(source),
            table: (entry.name ?? entry).text,
            reason: entry.initializer?.text,
          });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Each table has one owner: the module of its entity, if it has one. */
function compareOwners(files, declarations, owners) {
  const repeated = declarations.filter(({ kind, table, module }) => kind === 'owned' && owners.get(table) !== module);
  const tables = readTableNames();
  const elsewhere = files.flatMap(({ path, source }) =>
    [...source.text.matchAll(/@Entity\('(\w+)'/g)]
      .filter(([, table]) => tables.includes(table) && owners.get(table) !== toModule(path))
      .map(([, table]) => ({ path, name: `the module of ${table}'s entity does not own it` })),
  );
  return [
    ...repeated.map(({ path, table }) => ({ path, name: `${table} belongs to ${owners.get(table)}` })),
    ...tables
      .filter((table) => !owners.has(table))
      .map((table) => ({ path: 'migrations/schema.json', name: `${table} has no owner` })),
    ...[...owners]
      .filter(([table]) => !tables.includes(table))
      .map(([table, module]) => ({ path: `src/${module}`, name: `there is no table ${table}` })),
    ...elsewhere,
  ];
}

function readTableNames() {
  const schema = JSON.parse(readFileSync(join(root, 'migrations', 'schema.json'), 'utf8'));
  return Object.keys(schema).flatMap((name) => /^(?:table|view) (\w+)$/.exec(name)?.[1] ?? []);
}

/** Returns each kind of access to tables of other modules once per file and table. */
function collectAccesses({ path, source }, owners) {
  const module = toModule(path);
  if (!module || module === INFRASTRUCTURE) return [];
  const accesses = new Map();
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
      for (const [, verb, table] of node.getText(source).matchAll(ACCESS)) {
        const kind = READ.test(verb) ? 'read' : 'written';
        if (owners.has(table) && owners.get(table) !== module)
          accesses.set(`${table} ${kind}`, { path, module, table, kind });
      }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...accesses.values()];
}

const toModule = (path) => MODULE.exec(path)?.[1];
