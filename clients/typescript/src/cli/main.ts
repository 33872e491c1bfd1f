#!/usr/bin/env node
/** The command `xapi`. Whatever a start doesn't need is loaded later. */

/** Version of the package, which the build puts here. */
declare const PACKAGE_VERSION: string;

const version = PACKAGE_VERSION;
const argv = process.argv.slice(2);

process.stderr.on('error', () => undefined);
if (argv[0] === '--version') {
  process.stdout.on('error', () => undefined);
  process.stdout.write(argv.includes('--json') ? `${JSON.stringify({ version })}\n` : `xapi ${version}\n`);
} else {
  void import('./run.ts').then(({ run }) => run(argv, version));
}
