/**
 * Migrates the database of DATABASE_URL. `generate NAME` drafts a migration that adds the tables and columns that only
 * entities have, `run` applies pending migrations, and `revert` reverts the last one. docs/decisions/0034
 * explains why TypeORM's generator isn't used.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { ensureFilesBuilt, nextMigrationEpoch, root } from './lib.mjs';

const USAGE = `usage: npm run migration:generate -- verb-noun
       npm run migration:run
       npm run migration:revert
The commands work on the database of DATABASE_URL.`;
const NAME = /^[a-z]+(-[a-z0-9]+)+$/;

const [action, name, ...rest] = process.argv.slice(2);
const url = process.env.DATABASE_URL;
const actions = { generate, run, revert };
const isValidCall =
  Object.hasOwn(actions, action ?? '') &&
  rest.length === 0 &&
  (action === 'generate' ? NAME.test(name ?? '') : name === undefined);
if (!isValidCall || !url) {
  console.error(isValidCall ? 'DATABASE_URL is not set.' : USAGE);
  process.exit(2);
}

ensureFilesBuilt();
const require = createRequire(import.meta.url);
require('reflect-metadata');
const { DataSource } = require('typeorm');
const { SnakeNamingStrategy } = require('../dist/src/core/database/data-source.js');
const {
  getMigrationState,
  migratePostgres,
  revertLastMigration,
} = require('../dist/src/core/database/migrate-postgres.js');

try {
  await actions[action]();
} catch (error) {
  console.error(`error: ${error.message || error.code || error}`);
  process.exitCode = 1;
}

async function run() {
  const applied = await migratePostgres(url);
  for (const name of applied) console.log(`Applied: ${name}`);
  if (applied.length === 0) console.log('No migration is pending.');
}

async function revert() {
  const reverted = await revertLastMigration(url);
  console.log(reverted === null ? 'No migration has been applied.' : `Reverted: ${reverted}`);
}

async function generate() {
  const { pending } = await getMigrationState(url);
  if (pending.length > 0) {
    throw new Error(
      'migrations are pending. Run npm run migration:run first, so that the draft has only new tables and columns',
    );
  }
  const epoch = nextMigrationEpoch();
  const className = `${toPascalCase(name)}${epoch}`;
  const file = join(root, 'migrations', `${epoch}-${name}.ts`);
  if (existsSync(file)) throw new Error(`${file} exists already`);
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities: [join(root, 'dist', 'src', '**', '*.entity.js')],
    namingStrategy: new SnakeNamingStrategy(),
    installExtensions: false,
  });
  await dataSource.initialize();
  const steps = await findMissingSteps(dataSource).finally(() => dataSource.destroy());
  writeFileSync(file, formatMigration(className, steps));
  console.log(`Written: ${relative(root, file)}${steps.length === 0 ? ' (no entity has a new table or column)' : ''}`);
  console.log('Add constraints, indexes and defaults to this draft, and list it in migrations/index.ts.');
}

/**
 * Returns statements for the tables and columns that only entities have. Compares nothing else: migrations alone define
 * constraints, indexes and defaults, and a person decides what to drop.
 */
async function findMissingSteps(dataSource) {
  const rows = await dataSource.query(
    'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()',
  );
  const existing = new Set(rows.flatMap((row) => [row.table_name, `${row.table_name}.${row.column_name}`]));
  return dataSource.entityMetadatas
    .filter(({ tableType }) => tableType === 'regular')
    .flatMap(({ tableName, columns }) => {
      if (!existing.has(tableName)) return [createTableStep(tableName, columns)];
      return columns
        .filter((column) => !existing.has(`${tableName}.${column.databaseName}`))
        .map((column) => ({
          up: `ALTER TABLE ${tableName} ADD COLUMN ${formatColumn(column)}`,
          down: `ALTER TABLE ${tableName} DROP COLUMN ${column.databaseName}`,
        }));
    });
}

function createTableStep(table, columns) {
  const primary = columns.filter(({ isPrimary }) => isPrimary);
  const lines = columns.map((column) => {
    const isOnlyKey = column.isPrimary && primary.length === 1;
    return formatColumn(column) + (isOnlyKey ? ' PRIMARY KEY' : '');
  });
  if (primary.length > 1) {
    lines.push(`PRIMARY KEY (${primary.map(({ databaseName }) => databaseName).join(', ')})`);
  }
  const body = lines.map((line) => `        ${line}`).join(',\n');
  return { up: `\n      CREATE TABLE ${table} (\n${body}\n      )`, down: `DROP TABLE ${table}` };
}

/** Formats a column, with ids in byte order and times in milliseconds (migrations/README.md). */
function formatColumn({ databaseName, type, isArray, isNullable, isPrimary }) {
  const plain = typeof type === 'string' ? type : { String: 'text', Number: 'integer', Boolean: 'boolean' }[type.name];
  const isId = plain === 'text' && /(^|_)id$/.test(databaseName);
  const full = `${plain}${plain === 'timestamptz' ? '(3)' : ''}${isArray ? '[]' : ''}${isId ? ' COLLATE "C"' : ''}`;
  return `${databaseName} ${full}${isNullable || isPrimary ? '' : ' NOT NULL'}`;
}

function formatMigration(className, steps) {
  const queries = (list) =>
    (list.length > 0 ? list : ['']).map((sql) => `    await runner.query(\`${sql}\`);\n`).join('');
  return `import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ${className} implements MigrationInterface {
  name = '${className}';

  async up(runner: QueryRunner): Promise<void> {
${queries(steps.map(({ up }) => up))}  }

  async down(runner: QueryRunner): Promise<void> {
${queries(steps.map(({ down }) => down).reverse())}  }
}
`;
}

function toPascalCase(words) {
  return words.replace(/(^|-)([a-z0-9])/g, (_, __, letter) => letter.toUpperCase());
}
