/** Fails if code or a document cites a page, a heading or a decision record that doesn't exist in this repository. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { root } from './lib.mjs';

const CITING = /\.(md|ts|tsx|mjs|cjs|js|ya?ml|cfg|sh)$|Dockerfile$/;
/**
 * A page by its path from the root or from the citing file, with or without a heading. In code, a name without a folder
 * may be any file.
 */
const PAGE = /(?<![\w/.-])((?:\.{1,2}\/)*[\w-]+(?:\/[\w-]+)*\.md)(#[\w-]+)?/g;
const RECORD = /docs\/decisions\/\d{4}\b/g;

const headings = new Map();
const files = listFiles();
const dangling = files.filter((path) => CITING.test(path)).flatMap(danglingReferences);
for (const line of dangling) console.error(`broken reference: ${line}`);
process.exit(dangling.length > 0 ? 1 : 0);

function listFiles() {
  const options = { cwd: root, encoding: 'utf8' };
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], options).split('\n');
  return listed.filter((path) => path && existsSync(join(root, path)));
}

function danglingReferences(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const cited = [...text.matchAll(PAGE)].filter(([, page]) => path.endsWith('.md') || page.includes('/'));
  const pages = cited.filter(([, page, heading]) => !pageExists(path, page, heading));
  const records = [...text.matchAll(RECORD)].filter(([record]) => !recordExists(record));
  return [...pages, ...records].map(([reference]) => `${path}: ${reference}`);
}

function pageExists(citing, page, heading) {
  const candidates = [normalize(page), join(dirname(citing), page)].filter((path) => !path.startsWith('..'));
  const file = candidates.find((candidate) => existsSync(join(root, candidate)));
  return file !== undefined && (!heading || headingsOf(file).has(heading.slice(1)));
}

function recordExists(record) {
  return files.some((path) => path.startsWith(`${record}-`));
}

function headingsOf(file) {
  if (!headings.has(file)) {
    const titles = readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.*)$/gm);
    headings.set(file, new Set([...titles].map(([, title]) => toAnchor(title))));
  }
  return headings.get(file);
}

/** Returns the anchor of a heading by GitHub's rule. */
function toAnchor(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
