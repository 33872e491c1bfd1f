/** The lines by which the rest of the service comes to know a resource. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib.mjs';

/** @returns path in the repository → its text with the new lines; throws where a place to put one is gone */
export function registrations(names) {
  const { Items, epoch, prefix } = names;
  const plural = names['items-file'];
  const migration = `Create${Items}${epoch}`;
  const what = names['items words'];
  return changed([
    ['src/common/ids.ts', before(/;\n\n\/\*\* A new id/, `\n  | '${prefix}'`)],
    [
      'src/auth/device-permissions.ts',
      before(
        /\} as const satisfies Record/,
        `  '${plural}.write': { account: 'any', machine: 'no', what: 'create and delete ${what}' },
  '${plural}.read': { account: 'any', machine: 'no', what: 'read ${what} back' },\n`,
      ),
    ],
    [
      'src/common/http/operation.ts',
      before(/^ {2}Webhooks: /m, `  '${names['Items words']}': 'The ${what} of the account.',\n`),
    ],
    [
      'src/openapi/document/parameters.ts',
      before(/^ {2}webhooks: \[/m, `  '${plural}': ['${names['item words']}', '${prefix}'],\n`),
    ],
    ['src/app.module.ts', importOf(`${Items}Module`, plural)],
    ['src/app.module.ts', before(/^ {8}ExternalTokensModule,$/m, `        ${Items}Module,\n`)],
    [
      'migrations/index.ts',
      before(/^\n\/\*\* In order/m, `import { ${migration} } from './${epoch}-create-${plural}';\n`),
    ],
    ['migrations/index.ts', before(/^\];$/m, `  ${migration},\n`)],
    ['.dependency-cruiser.cjs', after(/\[\s*'messages',\s*'artifacts',\s*'usage'/, `, '${plural}'`)],
    ['docs/architecture.md', after(/^\| `messages`, `artifacts`, `usage`/m, `, \`${plural}\``)],
  ]);
}

function changed(edits) {
  const texts = {};
  for (const [path, edit] of edits) {
    texts[path] = edit(texts[path] ?? readFileSync(join(root, path), 'utf8'), path);
  }
  return texts;
}

function before(place, lines) {
  return (text, path) => text.replace(once(place, text, path), (found) => lines + found);
}

function after(place, lines) {
  return (text, path) => text.replace(once(place, text, path), (found) => found + lines);
}

/** Among the imports of its kind, which are in alphabetical order. */
function importOf(name, module) {
  return (text, path) => {
    const later = [...text.matchAll(/^import .* from '\.\/([\w-]+)';$/gm)].find(([, other]) => other > module);
    if (!later) throw new Error(`${path}: found no import to put that of ${module} before`);
    return `${text.slice(0, later.index)}import { ${name} } from './${module}';\n${text.slice(later.index)}`;
  };
}

function once(place, text, path) {
  const count = [...text.matchAll(new RegExp(place, `${place.flags}g`))].length;
  if (count !== 1) throw new Error(`${path}: expected ${place} once, found it ${count} times`);
  return place;
}
