/**
 * Judges every regular expression of the service, the clients and the tools. None may take exponential time. One that
 * takes polynomial time, or that can't be judged, needs an exception with a reason.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { writeWholeFile } from './build/whole-file.mjs';
import { root } from './lib.mjs';
import { EXCEPTIONS } from './regular-expressions/exceptions.mjs';
import { findExpressions } from './regular-expressions/find-expressions.mjs';

const FOLDERS = ['src', 'clients', 'packages', 'tools'];
/** How long one expression may take to be judged, in ms. The slowest takes two seconds, and many behind other work. */
const TIMEOUT_MS = 60_000;
/**
 * How long one attack may take, in ms. What takes longer counts as vulnerable, so the default of a second is too short
 * behind other work. The number of characters that an attack reads is limited as well.
 */
const ATTACK_TIMEOUT_MS = 20_000;
const AT_ONCE = 2;
const OPTIONS = { timeout: TIMEOUT_MS, attackTimeout: ATTACK_TIMEOUT_MS };
const CACHE = join(root, 'node_modules', '.cache', 'external-api', 'regular-expressions.json');

// A native program where there is one, because the others take several times as long.
process.env.RECHECK_BACKEND ??= `${process.platform}-${process.arch}` === 'linux-arm64' ? 'pure' : 'native';
const require = createRequire(import.meta.url);
const { check } = require('recheck');
const { version } = require('recheck/package.json');

const folder = process.argv[2] ?? root;
const expressions = findExpressions(folder, process.argv[2] ? ['.'] : FOLDERS);
const verdicts = readVerdicts();
const unjudged = [...new Set(expressions.filter(({ source }) => source !== null).map(getKey))].filter(
  (key) => !(key in verdicts),
);
await Promise.all(Array.from({ length: AT_ONCE }, judgeNext));
saveVerdicts();

const problems = expressions.flatMap(findProblem);
const used = new Set(expressions.map(({ text }) => text));
if (folder === root) {
  for (const text of Object.keys(EXCEPTIONS).filter((each) => !used.has(each)))
    problems.push(`No expression needs the exception for ${text}`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${expressions.length} regular expressions, ${Object.keys(EXCEPTIONS).length} exceptions.`);
process.exit(0);

async function judgeNext() {
  for (let key = unjudged.shift(); key; key = unjudged.shift()) {
    const [source, flags] = JSON.parse(key);
    // It doesn't know the flag `v`. An expression that needs it, for example for emoji, can't be judged.
    const { status, complexity, error } = await check(source, flags.replace('v', 'u'), OPTIONS);
    verdicts[key] = status === 'safe' ? 'safe' : (complexity?.type ?? `not judged (${error?.kind})`);
  }
}

function findProblem(expression) {
  const verdict = expression.source === null ? 'not constant' : verdicts[getKey(expression)];
  const isExcepted = expression.text in EXCEPTIONS;
  if (verdict === 'safe' && isExcepted) return [`${expression.place}: the exception is not needed: ${expression.text}`];
  if (verdict === 'safe' || (isExcepted && verdict !== 'exponential')) return [];
  return [`${expression.place}: ${verdict}: ${expression.text}`];
}

function getKey({ source, flags }) {
  return JSON.stringify([source, flags]);
}

function readVerdicts() {
  try {
    const cache = JSON.parse(readFileSync(CACHE, 'utf8'));
    return cache.version === version ? cache.verdicts : {};
  } catch {
    return {};
  }
}

function saveVerdicts() {
  // Another try may judge those that took too long on a busy machine.
  const conclusive = Object.entries(verdicts).filter(([, verdict]) => verdict !== 'not judged (timeout)');
  writeWholeFile(CACHE, JSON.stringify({ version, verdicts: Object.fromEntries(conclusive) }));
}
