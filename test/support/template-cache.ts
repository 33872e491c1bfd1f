import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER_PREFIX = 'embedded-template-';
/** Longer than any run: a run may still copy a template that another branch made. */
const UNUSED_MS = 86_400_000;

/**
 * Returns the template of a version. Creates it if there is none, and removes templates that no run has used for a day.
 *
 * @param create fills an empty folder
 */
export function provideTemplate(cacheFolder: string, version: string, create: (folder: string) => void): string {
  mkdirSync(cacheFolder, { recursive: true });
  const template = join(cacheFolder, FOLDER_PREFIX + version);
  if (!existsSync(template)) createTemplate(template, create);
  utimesSync(template, new Date(), new Date());
  removeUnusedTemplates(cacheFolder);
  return template;
}

/** Renames the complete folder, so that an interrupted run leaves no template, and concurrent runs share one. */
function createTemplate(template: string, create: (folder: string) => void): void {
  const unfinished = mkdtempSync(`${template}-`);
  try {
    create(unfinished);
    renameSync(unfinished, template);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}

function removeUnusedTemplates(cacheFolder: string): void {
  for (const name of readdirSync(cacheFolder).filter((each) => each.startsWith(FOLDER_PREFIX))) {
    const path = join(cacheFolder, name);
    const lastUse = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - lastUse > UNUSED_MS) rmSync(path, { recursive: true, force: true });
  }
}
