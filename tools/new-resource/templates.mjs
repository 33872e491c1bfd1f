import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('templates', import.meta.url));
const PLACEHOLDER = /\{\{([\w -]+)\}\}/g;

/** Returns the templates with replaced placeholders, by path in the repository. */
export function rendered(names) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const target = relative(folder, path).replace(/\.tpl$/, '');
      return [fill(target, names), fill(readFileSync(path, 'utf8'), names)];
    }),
  );
}

function fill(text, names) {
  return text.replace(PLACEHOLDER, (_, name) => {
    if (!Object.hasOwn(names, name)) throw new Error(`Unknown placeholder: ${name}`);
    return names[name];
  });
}
