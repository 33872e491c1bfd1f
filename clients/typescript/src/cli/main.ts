#!/usr/bin/env node
/** The command `xapi`. Whatever a start doesn't need is loaded later. */

/** Version of the package, which the build puts here. */
declare const PACKAGE_VERSION: string;

const version = PACKAGE_VERSION;
const argv = process.argv.slice(2);
const isJson = argv.includes('--json');

process.stderr.on('error', () => undefined);
if (argv[0] === '--version') {
  process.stdout.on('error', reportLostOutput);
  process.stdout.write(isJson ? `${JSON.stringify({ version })}\n` : `xapi ${version}\n`);
} else {
  void import('./run.ts').then(({ run }) => run(argv, version));
}

/** Fails like `run`, unless the reader has enough, such as head. */
function reportLostOutput({ code, message: reason }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE' || code === 'ECONNRESET') return;
  const message = `Standard output can't be written (${code ?? reason}).`;
  const error = JSON.stringify({ error: { code: 'output', exitCode: 1, message } });
  process.stderr.write(isJson ? `${error}\n` : `error: ${message}\n`);
  process.exitCode = 1;
}
