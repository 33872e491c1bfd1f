import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('templates', import.meta.url));
const PLACEHOLDER = /\{\{([\w -]+)\}\}/g;
/** `{{#write}}…{{/write}}` is for `--write`, `{{^write}}…{{/write}}` for a resource without it. They can be nested. */
const SECTION_TAG = /\{\{([#^/]\w+)\}\}/;
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
  const open = [];
  const chosen = [];
  // Texts and tags take turns.
  for (const [index, part] of text.split(SECTION_TAG).entries()) {
    const [kind, name] = [part[0], part.slice(1)];
    if (index % 2 === 0) chosen.push(open.every(({ isIncluded }) => isIncluded) ? part : '');
    else if (kind === '/') {
      if (open.pop()?.name !== name) throw new Error(`Section without a beginning: ${name}`);
    } else if (Object.hasOwn(sections, name)) open.push({ name, isIncluded: sections[name] === (kind === '#') });
    else throw new Error(`Unknown section: ${name}`);
  }
  return chosen.join('');
}

function fill(text, names) {
  return text.replace(PLACEHOLDER, (_, name) => {
    if (!Object.hasOwn(names, name)) throw new Error(`Unknown placeholder: ${name}`);
    return names[name];
  });
}
