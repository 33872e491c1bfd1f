/** Writes the module of a new resource from new-resource/templates and registers it (docs/adding-a-resource.md). */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, root, run } from './lib.mjs';
import { namesOf } from './new-resource/names.mjs';
import { rendered } from './new-resource/templates.mjs';
import { registrations } from './new-resource/registrations.mjs';

const USAGE = `usage: npm run new:resource -- NAME [--scope SCOPE] [--prefix PREFIX] [--singular NAME]

  NAME        plural name in lower case with hyphens: notes, saved-replies
  --scope     scope of src/access/auth/scopes.ts that callers of the External API need; profile:read by default
  --prefix    prefix of the ids, three or four letters; by default the first three of the singular
  --singular  singular name, if it isn't the plural without its ending`;

const files = planFiles();
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(path);
}
run(bin('prettier'), ['--write', '--log-level', 'warn', ...Object.keys(files)]);
run(process.execPath, [join(root, 'tools', 'generate.mjs')]);
console.log('\nThe resource is written, registered and generated. docs/adding-a-resource.md lists your next steps.');

/** Returns the texts of all new and changed files by path. Exits if the arguments aren't valid. */
function planFiles() {
  try {
    const { values, positionals } = parseArgs({
      options: { scope: { type: 'string' }, prefix: { type: 'string' }, singular: { type: 'string' } },
      allowPositionals: true,
    });
    if (positionals.length !== 1) throw new Error('exactly one NAME is required');
    const names = namesOf(positionals[0], values);
    const created = rendered(names);
    const taken = Object.keys(created).filter((path) => existsSync(join(root, path)));
    if (taken.length > 0) throw new Error(`${taken.join(', ')} already exists`);
    return { ...created, ...registrations(names) };
  } catch (error) {
    console.error(`error: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}
