/**
 * Preloaded module that shortens the quickstart's time limit of a step (60 s) to 15 s. With COLLECT_GARBAGE, it also
 * collects garbage twice a second, since Node.js drops time limits that only a combined signal refers to.
 */
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const LIMIT_MS = 60_000;
const shorten = (ms) => (ms === LIMIT_MS ? LIMIT_MS / 4 : ms);

if (/quickstart(\.js|[/\\]main\.js)$/.test(process.argv[1])) {
  process.stdout.write('Steps are short.\n');
  const { setTimeout: realSetTimeout } = globalThis;
  const realTimeout = AbortSignal.timeout.bind(AbortSignal);
  globalThis.setTimeout = (callback, ms, ...args) => realSetTimeout(callback, shorten(ms), ...args);
  AbortSignal.timeout = (ms) => realTimeout(shorten(ms));
  if (process.env.COLLECT_GARBAGE) {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc');
    setInterval(() => collectGarbage(), 500).unref();
  }
}
