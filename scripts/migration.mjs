/**
 * `generate NAME` drafts the next migration from what entities have and the database has not; `run` applies what is
 * pending; `revert` takes the last one back. On the database of DATABASE_URL.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { ensureBuilt, nextMigrationEpoch, root } from './lib.mjs';

const USAGE = `usage: npm run migration:generate -- verb-noun
       npm run migration:run
       npm run migration:revert
They work on the database of DATABASE_URL.`;
const NAME = /^[a-z]+(-[a-z0-9]+)+$/;

const [action, name, ...rest] = process.argv.slice(2);
const url = process.env.DATABASE_URL;
const actions = { generate, run, revert };
const wellCalled =
  Object.hasOwn(actions, action ?? '') &&
  rest.length === 0 &&
  (action === 'generate' ? NAME.test(name ?? '') : name === undefined);
if (!wellCalled || !url) {
  console.error(wellCalled ? 'DATABASE_URL is not set.' : USAGE);
  process.exit(2);
}

ensureBuilt();
const require = createRequire(import.meta.url);
require('reflect-metadata');
const { DataSource } = require('typeorm');
const { migrations } = require('../dist/migrations/index.js');
const { withMigrationLock } = require('../dist/src/persistence/advisory-locks.js');
const { SnakeNamingStrategy } = require('../dist/src/persistence/snake-naming-strategy.js');

const dataSource = new DataSource({
  type: 'postgres',
  url,
  migrations,
  entities: [join(root, 'dist', 'src', '**', '*.entity.js')],
  namingStrategy: new SnakeNamingStrategy(),
  installExtensions: false,
  // A step that cannot have its table gives up: while it waits, other statements queue behind it.
  extra: { max: 2, lock_timeout: 5_000 },
});
try {
  await dataSource.initialize();
  await actions[action]();
} catch (error) {
  console.error(`error: ${error.message || error.code || error}`);
  process.exitCode = 1;
} finally {
  if (dataSource.isInitialized) await dataSource.destroy();
}

async function run() {
  const done = await withMigrationLock(url, () => dataSource.runMigrations({ transaction: 'each' }));
  for (const step of done) console.log(`Applied: ${step.name}`);
  if (done.length === 0) console.log('Nothing to apply.');
}

async function revert() {
  await withMigrationLock(url, async () => {
    const last = await lastApplied();
    if (last === undefined) return console.log('Nothing to take back.');
    await dataSource.undoLastMigration({ transaction: 'each' });
    console.log(`Taken back: ${last}`);
  });
}

async function lastApplied() {
  const [{ there }] = await dataSource.query("SELECT to_regclass('migrations') IS NOT NULL AS there");
  if (!there) return undefined;
  const rows = await dataSource.query('SELECT name FROM migrations ORDER BY timestamp DESC, id DESC LIMIT 1');
  return rows[0]?.name;
}

async function generate() {
  if (await dataSource.showMigrations()) {
    throw new Error('the database is behind: npm run migration:run first, so that the draft holds the new alone');
  }
  const epoch = nextMigrationEpoch();
  const className = `${pascal(name)}${epoch}`;
  const file = join(root, 'migrations', `${epoch}-${name}.ts`);
  if (existsSync(file)) throw new Error(`${file} is there already`);
  const steps = await missing();
  writeFileSync(file, source(className, steps));
  console.log(`Written: ${relative(root, file)}${steps.length === 0 ? ' (no entity has anything new)' : ''}`);
  console.log('It is a draft: add constraints, indexes and defaults, then list it in migrations/index.ts.');
}

/**
 * Tables and columns that entities have and the database has not. Nothing else is compared: constraints, indexes
 * and defaults are written in migrations alone, and what is to be dropped is for people to say.
 */
async function missing() {
  const rows = await dataSource.query(
    'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()',
  );
  const there = new Set(rows.flatMap((row) => [row.table_name, `${row.table_name}.${row.column_name}`]));
  return dataSource.entityMetadatas
    .filter(({ tableType }) => tableType === 'regular')
    .flatMap(({ tableName, columns }) => {
      if (!there.has(tableName)) return [createTable(tableName, columns)];
      return columns
        .filter((column) => !there.has(`${tableName}.${column.databaseName}`))
        .map((column) => ({
          up: `ALTER TABLE ${tableName} ADD COLUMN ${definition(column)}`,
          down: `ALTER TABLE ${tableName} DROP COLUMN ${column.databaseName}`,
        }));
    });
}

function createTable(table, columns) {
  const primary = columns.filter(({ isPrimary }) => isPrimary);
  const lines = columns.map((column) => {
    const alone = column.isPrimary && primary.length === 1;
    return definition(column) + (alone ? ' PRIMARY KEY' : '');
  });
  if (primary.length > 1) {
    lines.push(`PRIMARY KEY (${primary.map(({ databaseName }) => databaseName).join(', ')})`);
  }
  const body = lines.map((line) => `        ${line}`).join(',\n');
  return { up: `\n      CREATE TABLE ${table} (\n${body}\n      )`, down: `DROP TABLE ${table}` };
}

/** Ids in byte order and times in milliseconds, as everywhere (docs/decisions/0001). */
function definition({ databaseName, type, isArray, isNullable, isPrimary }) {
  const plain = typeof type === 'string' ? type : { String: 'text', Number: 'integer', Boolean: 'boolean' }[type.name];
  const isId = plain === 'text' && /(^|_)id$/.test(databaseName);
  const full = `${plain}${plain === 'timestamptz' ? '(3)' : ''}${isArray ? '[]' : ''}${isId ? ' COLLATE "C"' : ''}`;
  return `${databaseName} ${full}${isNullable || isPrimary ? '' : ' NOT NULL'}`;
}

function source(className, steps) {
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

function pascal(words) {
  return words.replace(/(^|-)([a-z0-9])/g, (_, __, letter) => letter.toUpperCase());
}
