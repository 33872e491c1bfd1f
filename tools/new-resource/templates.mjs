import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('templates', import.meta.url));
const PLACEHOLDER = /\{\{([\w -]+)\}\}/g;
/** `{{#write}}…{{/write}}` is for `--write`, `{{^write}}…{{/write}}` for a resource without it. They can be nested. */
const SECTION = /\{\{([#^])(\w+)\}\}([\s\S]*?)\{\{\/\2\}\}/g;
const SECTION_TAG_ON_ITS_LINE = /^[ \t]*(\{\{[#^/]\w+\}\})\n/gm;

/**
 * Returns the templates with replaced placeholders, by path in the repository. A template that consists of sections
 * for other options has no file.
 * @param names texts by placeholder
 * @param sections whether each section is included, by its name
 */
export function rendered(names, sections) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const target = relative(folder, path).replace(/\.tpl$/, '');
    const template = readFileSync(path, 'utf8').replace(SECTION_TAG_ON_ITS_LINE, '$1');
    return [fill(target, names), fill(chooseSections(template, sections), names)];
  });
  return Object.fromEntries(texts.filter(([, text]) => text.trim() !== ''));
}

function chooseSections(text, sections) {
  return text.replace(SECTION, (_, kind, name, content) => {
    if (!Object.hasOwn(sections, name)) throw new Error(`Unknown section: ${name}`);
    return sections[name] === (kind === '#') ? chooseSections(content, sections) : '';
  });
}

function fill(text, names) {
  return text.replace(PLACEHOLDER, (_, name) => {
    if (!Object.hasOwn(names, name)) throw new Error(`Unknown placeholder: ${name}`);
    return names[name];
  });
}
