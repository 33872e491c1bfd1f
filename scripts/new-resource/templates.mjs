import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('templates', import.meta.url));
const PLACEHOLDER = /\{\{([\w -]+)\}\}/g;

/** Each template with its placeholders filled in: path in the repository → text. */
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
    if (!Object.hasOwn(names, name)) throw new Error(`No such placeholder: ${name}`);
    return names[name];
  });
}
