/** Registers a resource in the shared files of the service. */
import { addEntries, addEntryAfter, addImport, applyEdits } from './edits.mjs';

/**
 * Returns the texts of the shared files with the new entries by path.
 * @throws Error if a declaration is missing
 */
export function registrations({ Items, items, 'items-file': plural, epoch }) {
  const migration = `Create${Items}${epoch}`;
  return applyEdits([
    ['src/app.manifest.ts', addImport(`${items}Manifest`, `./modules/${plural}/${plural}.manifest`)],
    ['src/app.manifest.ts', addEntryAfter('webhooksManifest', `${items}Manifest,`)],
    ['src/app.module.ts', addImport(`${Items}Module`, `./modules/${plural}`)],
    ['src/app.module.ts', addEntryAfter('WebhooksModule', `${Items}Module,`)],
    ['migrations/index.ts', addImport(migration, `./${epoch}-create-${plural}`)],
    ['migrations/index.ts', addEntries('migrations', `${migration},`)],
  ]);
}
