/**
 * Fails for migrations that lock a large table for long (migrations/README.md). Landed migrations are exempt by name:
 * they can't be edited.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib.mjs';
import { findLongLocks, isLandedBeforeRules } from './migrations/long-locks.mjs';

const folder = process.argv[2] ?? join(root, 'migrations');
const files = readdirSync(folder).filter((name) => /^\d{13}-.*\.ts$/.test(name) && !isLandedBeforeRules(name));
const problems = files.flatMap((name) =>
  findLongLocks(readFileSync(join(folder, name), 'utf8')).map((problem) => `migrations/${name}: ${problem}`),
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} migrations lock no large table for long.`);
