const asyncHooks = require('node:async_hooks');
const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { default: runWithCircus } = require('jest-circus/runner');

const { AsyncLocalStorage } = asyncHooks;
const UNIT_ROUNDS = 10_000;
/** See tools/test/wait-factor.mjs. */
const WAIT_FACTOR = Number(process.env.TEST_WAIT_FACTOR ?? 1);

/**
 * Runs a test file with Jest's own runner, which keeps the current test in an AsyncLocalStorage. Connections and timers
 * of modules that Node loads once per worker outlive the file. Each retains the contents of the storage, and with the
 * test all objects of the file. Therefore the storage is emptied when the file ends.
 *
 * Adds to the result `cpuMs`, the CPU time of the worker and of the processes that have exited, and `unitMs`, that of a
 * fixed computation right afterwards, by which CPU times of machines that are faster or busier can be compared. Removes
 * the folders of the file in the end.
 */
module.exports = async (...args) => {
  watchTests(args[2]);
  const storages = [];
  const createStorage = () => {
    const storage = new ReleasableStorage();
    storages.push(storage);
    return storage;
  };
  const startMs = readCpuMs();
  const run = withStorages(createStorage, () => runWithCircus(...args));
  try {
    const result = await run;
    return Object.assign(result, { cpuMs: readCpuMs() - startMs, unitMs: measureUnitMs() });
  } finally {
    for (const storage of storages) storage.release();
    removeFolders();
  }
};

/**
 * Extends the time limits of tests and hooks of an environment on a slow machine. With TEST_STOP_AT_FAILURE, skips the
 * tests after one that failed.
 */
function watchTests(environment) {
  const handle = environment.handleTestEvent?.bind(environment);
  // A hook starts once for each test.
  const extended = new WeakSet();
  let hasFailed = false;
  environment.handleTestEvent = (event, state) => {
    const limited = { test_start: event.test, hook_start: event.hook }[event.name];
    if (limited && !extended.has(limited)) {
      extended.add(limited);
      limited.timeout = (limited.timeout ?? state.testTimeout) * WAIT_FACTOR;
    }
    if (event.name === 'test_done') hasFailed ||= event.test.errors.length > 0;
    if (event.name === 'test_start' && hasFailed && process.env.TEST_STOP_AT_FAILURE) event.test.mode = 'skip';
    return handle?.(event, state);
  };
}

/** Returns the CPU time of this process and, on Linux, of its children so far. */
function readCpuMs() {
  if (!existsSync('/proc/self/stat')) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  // utime, stime, cutime and cstime in hundredths of a second.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}

function measureUnitMs() {
  const start = process.cpuUsage();
  let digest = Buffer.alloc(32);
  for (let round = 0; round < UNIT_ROUNDS; round++) digest = createHash('sha256').update(digest).digest();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Removes the folders of this process (temp-folder.ts), and those of killed runs, which would stay in memory. */
function removeFolders() {
  for (const parent of new Set([tmpdir(), '/dev/shm'].filter(existsSync))) {
    for (const name of readdirSync(parent)) {
      const owner = Number(/^external-api-test-(\d+)-/.exec(name)?.[1]);
      if (owner !== process.pid && (!owner || isAlive(owner))) continue;
      try {
        rmSync(join(parent, name), { recursive: true, force: true });
      } catch {
        // A process that the file has left behind still writes to it. The next file, or the next run, removes it.
      }
    }
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

class ReleasableStorage extends AsyncLocalStorage {
  #holders = [];

  run(store, ...rest) {
    const holder = { store };
    this.#holders.push(holder);
    return super.run(holder, ...rest);
  }

  getStore() {
    return super.getStore()?.store;
  }

  release() {
    for (const holder of this.#holders) holder.store = undefined;
    // Node.js 20 passes the contents of every enabled storage on to each new timer and promise.
    this.disable();
  }
}

/** Replaces the storages of the modules that `load` evaluates before it returns: those of the runner. */
function withStorages(createStorage, load) {
  asyncHooks.AsyncLocalStorage = function () {
    return createStorage();
  };
  try {
    return load();
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
}
