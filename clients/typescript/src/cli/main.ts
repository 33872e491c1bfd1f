#!/usr/bin/env node
/** The command `xapi`. Whatever a start doesn't need is loaded later. */
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const argv = process.argv.slice(2);

process.stderr.on('error', () => undefined);
if (argv[0] === '--version') {
  process.stdout.on('error', () => undefined);
  process.stdout.write(argv.includes('--json') ? `${JSON.stringify({ version })}\n` : `xapi ${version}\n`);
} else {
  const { run } = await import('./run.ts');
  await run(argv, version);
}
