/** State of a Jest worker (built/environment.js). Benchmarks run without one. */
const { workerState = {} } = globalThis as { workerState?: Record<string, unknown> };

/**
 * Returns a value that all test files of a worker share. The first one creates it. It must not depend on `instanceof`,
 * because each file has its own classes.
 */
export function shareInWorker<Value>(name: string, create: () => Value): Value {
  return (workerState[name] ??= create()) as Value;
}
