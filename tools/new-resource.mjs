/** Writes the module of a new resource from new-resource/templates and registers it (docs/adding-a-resource.md). */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bin, root, run } from './lib.mjs';
import { readTexts, saveRecord, undoGeneration } from './new-resource/generation-record.mjs';
import { namesOf, requireFree, requireName } from './new-resource/names.mjs';
import { rendered } from './new-resource/templates.mjs';
import { registrations } from './new-resource/registrations.mjs';
import { scopesOf } from './new-resource/scopes.mjs';

const USAGE = `usage: npm run new:resource -- NAME [--write] [--event] [--scope SCOPE] [--prefix PREFIX]
                                      [--singular NAME]
       npm run new:resource -- --undo NAME

  NAME        plural name in lower case with hyphens: notes, saved-replies
  --write     tokens create, change and delete with the new scope NAME:write, and devices also change
  --event     changes are published to webhooks and devices
  --scope     scope that callers of the External API need to read: NAME:read, which is added, or one that
              a manifest declares. By default NAME:read with --write or --event, otherwise profile:read
  --prefix    prefix of the ids, three or four letters; by default a singular of four letters, or
              the first three of a longer one
  --singular  singular name, if it isn't the plural without its ending
  --undo      deletes the files of NAME and its registrations, except those that have changed since`;

const OPTIONS = {
  write: { type: 'boolean', default: false },
  event: { type: 'boolean', default: false },
  scope: { type: 'string' },
  prefix: { type: 'string' },
  singular: { type: 'string' },
  undo: { type: 'boolean' },
};

const { plural, options } = readArguments();
if (options.undo) undoResource();
else writeResource();

function writeResource() {
  const files = orExit(() => planFiles());
  const before = readTexts(Object.keys(files));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(path);
  }
  // Again after formatting, so that a failure of it can be undone as well.
  saveRecord(plural, before);
  run(bin('oxfmt'), Object.keys(files));
  saveRecord(plural, before);
  generate(`The files are written and registered. Fix the error above, then run: npm run generate
To remove them instead: npm run new:resource -- --undo ${plural}`);
  console.log('\nThe resource is written, registered and generated. docs/adding-a-resource.md lists your next steps.');
}

function undoResource() {
  const changed = orExit(() => undoGeneration(plural));
  if (changed.length > 0) {
    console.error(`Left, since they have changed: ${changed.join(', ')}
Remove what belongs to ${plural} from them, then run: npm run generate`);
    process.exit(1);
  }
  generate('Everything is removed. Fix the error above, then run: npm run generate');
  console.log(`\nThe resource ${plural} is removed.`);
}

/** Updates the generated files. Prints the advice if that fails. */
function generate(advice) {
  const printAdvice = (status) => status !== 0 && console.error(`\n${advice}`);
  process.once('exit', printAdvice);
  run(process.execPath, [join(root, 'tools', 'generate.mjs')]);
  process.off('exit', printAdvice);
}

/** Returns the texts of all new and changed files by path. */
function planFiles() {
  const { write, event } = options;
  requireFree(plural);
  const scopes = scopesOf(plural, options);
  const names = namesOf(plural, options, scopes);
  const { added, read } = scopes;
  const sections = { write, event, scopes: added.length > 0, readScope: added.includes(read) };
  const created = rendered(names, sections);
  const taken = Object.keys(created).filter((path) => existsSync(join(root, path)));
  if (taken.length > 0) throw new Error(`${taken.join(', ')} already exists`);
  return { ...created, ...registrations(names) };
}

function readArguments() {
  return orExit(() => {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    if (positionals.length !== 1) throw new Error('exactly one NAME is required');
    requireName(positionals[0]);
    return { plural: positionals[0], options: values };
  });
}

/** Returns the result. Exits with the usage if the arguments aren't valid. */
function orExit(action) {
  try {
    return action();
  } catch (error) {
    console.error(`error: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}
