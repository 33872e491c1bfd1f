/** Every form of a resource's name that templates and registrations use, and what they may not be. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextMigrationEpoch, root } from '../lib.mjs';

const NAME = /^[a-z]+(-[a-z]+)*$/;
const DEFAULT_SCOPE = 'profile:read';

/**
 * @param plural in small letters with hyphens
 * @returns placeholder of the templates → text
 * @throws Error for a name, prefix or scope that cannot be
 */
export function namesOf(plural, { singular = singularOf(plural), prefix, scope = DEFAULT_SCOPE }) {
  for (const name of [plural, singular]) {
    if (!NAME.test(name)) throw new Error(`"${name}" is not small letters with hyphens between them`);
  }
  if (singular === plural) throw new Error(`"${plural}" needs a --singular of its own`);
  requireFree(plural);
  const scopes = scopesThere();
  if (!scopes.includes(scope)) throw new Error(`There is no scope "${scope}": ${scopes.join(', ')}`);
  return {
    'items-file': plural,
    'item-file': singular,
    items_table: plural.replaceAll('-', '_'),
    item_name: singular.replaceAll('-', '_'),
    ITEMS: plural.replaceAll('-', '_').toUpperCase(),
    items: camel(plural),
    Items: pascal(plural),
    Item: freeRecord(pascal(singular)),
    'items words': words(plural),
    'Items words': capital(words(plural)),
    'item words': words(singular),
    'a item': `${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${words(singular)}`,
    prefix: freePrefix(prefix ?? singular.replaceAll('-', '').slice(0, 3)),
    scope,
    'other scope': scopes.find((other) => other !== scope),
    epoch: String(nextMigrationEpoch()),
  };
}

/** Of an English plural; what it gets wrong, `--singular` puts right. */
function singularOf(plural) {
  if (/ies$/.test(plural)) return plural.replace(/ies$/, 'y');
  if (/(ss|sh|ch|x|us)es$/.test(plural)) return plural.replace(/es$/, '');
  return plural.replace(/([^s])s$/, '$1');
}

const words = (name) => name.replaceAll('-', ' ');
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const pascal = (name) => name.split('-').map(capital).join('');
const camel = (name) => name.split('-')[0] + pascal(name).slice(name.split('-')[0].length);

/** Modules are not the only ones that have names: so do tables and paths. */
function requireFree(plural) {
  const table = new RegExp(`CREATE TABLE ${plural.replaceAll('-', '_')}\\b`);
  const migrations = readdirSync(join(root, 'migrations')).map((name) => read(join('migrations', name)));
  if (readdirSync(join(root, 'src')).includes(plural)) throw new Error(`src/${plural} is there already`);
  if (migrations.some((text) => table.test(text))) throw new Error(`A table ${plural} is there already`);
  const path = new RegExp(`\`(/external)?/v1/${plural}[/\`]`);
  if (path.test(read('docs/route-policy.md'))) throw new Error(`The path /v1/${plural} is there already`);
}

/** The document calls a record as its class is called, without the suffix. */
function freeRecord(name) {
  const { schemas } = openApi().components;
  if (schemas[name] || schemas[`Create${name}`]) throw new Error(`openapi.json has a schema ${name} already`);
  return name;
}

function freePrefix(prefix) {
  if (!/^[a-z]{3,4}$/.test(prefix)) throw new Error(`"${prefix}" is no prefix: three or four small letters`);
  const taken = /IdPrefix =([^;]*);/.exec(read('src/common/ids.ts'))[1].match(/[a-z]+/g);
  if (taken.includes(prefix)) throw new Error(`ids with the prefix "${prefix}" are others': give a --prefix`);
  return prefix;
}

function scopesThere() {
  const catalogue = /SCOPES = \{([^}]*)\}/.exec(read('src/auth/scopes.ts'))[1];
  return [...catalogue.matchAll(/^ {2}'([\w:]+)':/gm)].map(([, name]) => name);
}

const openApi = () => JSON.parse(read('openapi.json'));
const read = (path) => readFileSync(join(root, path), 'utf8');
