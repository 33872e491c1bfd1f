/** Writes the module of a new resource from new-resource/templates and registers it (docs/adding-a-resource.md). */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, root, run } from './lib.mjs';
import { namesOf } from './new-resource/names.mjs';
import { rendered } from './new-resource/templates.mjs';
import { registrations } from './new-resource/registrations.mjs';

const USAGE = `usage: npm run new:resource -- NAME [--scope SCOPE] [--prefix PREFIX] [--singular NAME]

  NAME        what a list of them is called, in small letters with hyphens: notes, saved-replies
  --scope     what callers of the External API need, of src/auth/scopes.ts; else profile:read
  --prefix    of their ids, three or four letters; else the first three of the singular
  --singular  where dropping the plural's ending does not give it`;

const files = planned();
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(path);
}
run(bin('prettier'), ['--write', '--log-level', 'warn', ...Object.keys(files)]);
run(process.execPath, [join(root, 'scripts', 'generate.mjs')]);
console.log('\nWritten, registered and generated. What is yours to decide: docs/adding-a-resource.md');

/** Path in the repository → text, of every file that is new or changes. Nothing is written before all of it stands. */
function planned() {
  try {
    const { values, positionals } = parseArgs({
      options: { scope: { type: 'string' }, prefix: { type: 'string' }, singular: { type: 'string' } },
      allowPositionals: true,
    });
    if (positionals.length !== 1) throw new Error('one NAME is needed');
    const names = namesOf(positionals[0], values);
    const created = rendered(names);
    const taken = Object.keys(created).filter((path) => existsSync(join(root, path)));
    if (taken.length > 0) throw new Error(`${taken.join(', ')}: there already`);
    return { ...created, ...registrations(names) };
  } catch (error) {
    console.error(`error: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}
