/** Forms of a resource's name for templates and registrations, with their validation. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextMigrationEpoch, root } from '../lib.mjs';
import { readManifests } from './manifests.mjs';

const NAME = /^[a-z]+(-[a-z]+)*$/;
/** PostgreSQL truncates the names of a table's indexes and constraints after 63 characters. */
const MAX_NAME_LENGTH = 40;

/**
 * @param plural in lower case with hyphens
 * @param scopes of `scopesOf`
 * @returns texts by placeholder of the templates
 * @throws Error if a name or prefix is not valid
 */
export function namesOf(plural, { singular = singularOf(plural), prefix, write }, scopes) {
  [plural, singular].forEach(requireName);
  if (singular === plural) throw new Error(`"${plural}" requires --singular`);
  const aItem = `${/^[aeiou]/.test(singular) ? 'an' : 'a'} ${words(singular)}`;
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
    'a item': aItem,
    'A item': capital(aItem),
    changes: write ? 'create, change and delete' : 'create and delete',
    prefix: freePrefix(prefix ?? prefixOf(singular.replaceAll('-', ''))),
    scope: scopes.read,
    'write scope': scopes.write,
    'other scope': scopes.other,
    epoch: String(nextMigrationEpoch()),
  };
}

/** @throws Error if a name is not in lower case with hyphens, or too long */
export function requireName(name) {
  if (!NAME.test(name)) throw new Error(`"${name}" must be lower case with hyphens`);
  if (name.length > MAX_NAME_LENGTH) throw new Error(`"${name}" has more than ${MAX_NAME_LENGTH} characters`);
}

const prefixOf = (letters) => (letters.length === 4 ? letters : letters.slice(0, 3));

/** Returns the singular of an English plural. `--singular` overrides irregular ones. */
function singularOf(plural) {
  if (/(series|species)$/.test(plural)) return plural;
  if (/ies$/.test(plural)) return plural.replace(/ies$/, 'y');
  if (/(ss|sh|ch|x|us)es$/.test(plural)) return plural.replace(/es$/, '');
  return plural.replace(/([^s])s$/, '$1');
}

const words = (name) => name.replaceAll('-', ' ');
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const pascal = (name) => name.split('-').map(capital).join('');
const camel = (name) => name.split('-')[0] + pascal(name).slice(name.split('-')[0].length);

/** @throws Error if a module, table or path of this name exists */
export function requireFree(plural) {
  const table = new RegExp(`CREATE TABLE ${plural.replaceAll('-', '_')}\\b`);
  const migrations = readdirSync(join(root, 'migrations')).map((name) => read(join('migrations', name)));
  if (existsSync(join(root, 'src', 'modules', plural))) throw new Error(`src/modules/${plural} already exists`);
  if (migrations.some((text) => table.test(text))) throw new Error(`A table ${plural} already exists`);
  const path = new RegExp(`\`(/external)?/v1/${plural}[/\`]`);
  if (path.test(read('docs/route-policy.md'))) throw new Error(`The path /v1/${plural} already exists`);
}

/** Throws if openapi.json has a schema of this name: a record's schema is named after its class without the suffix. */
function freeRecord(name) {
  const { schemas } = openApi().components;
  if (schemas[name] || schemas[`Create${name}`]) throw new Error(`openapi.json already has a schema ${name}`);
  return name;
}

function freePrefix(prefix) {
  if (!/^[a-z]{3,4}$/.test(prefix)) throw new Error(`"${prefix}" is not a prefix of three or four lower-case letters`);
  const taken = readManifests().flatMap((text) =>
    [...text.matchAll(/idPrefix(?:es)?: ([^\n]+)/g)].flatMap(([, value]) => value.match(/[a-z]+/g)),
  );
  if (taken.includes(prefix)) throw new Error(`The prefix "${prefix}" is in use. Choose another --prefix`);
  return prefix;
}

const openApi = () => JSON.parse(read('openapi.json'));
const read = (path) => readFileSync(join(root, path), 'utf8');
