import '../../common/source-maps';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { CodeCache } from './code-cache';

/** Published by a service that listens. */
const LISTENING = 'external-api.listening';
/**
 * How much of a WebAssembly function runs before V8 optimizes it, in bytes of its code. The default of Node.js 20 is
 * 1.8 MB: a third of a start on the embedded database was the optimization of functions that mostly the start calls.
 */
const OPTIMIZED_AFTER = 400_000_000;

type Bundle = (exports: object, require: NodeJS.Require, module: object, filename: string, dirname: string) => void;

/**
 * Runs the bundle beside this file, `service.bundle.js` for `service.js`, with V8's compiled code of an earlier start.
 * Saves the code once the program has done what most of its starts do: functions that V8 hasn't compiled by then are
 * missing in it.
 */
function runBundle(file: string): void {
  // Before the code is read, because V8 accepts compiled code only with the flags that it was compiled with.
  setFlagsFromString(`--wasm-tiering-budget=${OPTIMIZED_AFTER}`);
  const source = readFileSync(file);
  const codeCache = new CodeCache(file, source);
  const cachedData = codeCache.readData();
  // The build writes ASCII only, which is faster to read as Latin-1.
  const script = new Script(source.toString('latin1'), { filename: file, cachedData });
  if (cachedData === undefined || script.cachedDataRejected) saveCode(codeCache, script);
  const bundle = script.runInThisContext() as Bundle;
  const module = { exports: {} };
  bundle(module.exports, createRequire(file), module, file, dirname(file));
}

function saveCode(codeCache: CodeCache, script: Script): void {
  let isSaved = false;
  const saveOnce = () => {
    if (!isSaved) codeCache.writeData(() => script.createCachedData());
    isSaved = true;
  };
  subscribe(LISTENING, saveOnce);
  process.once('exit', (code) => {
    // A program that failed may not have reached most of its code.
    if (code === 0) saveOnce();
  });
}

runBundle(__filename.replace(/\.js$/, '.bundle.js'));
