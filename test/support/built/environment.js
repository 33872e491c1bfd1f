const { TestEnvironment } = require('jest-environment-node');

const workerState = {};

/**
 * Loads the build with Node once per worker. Test files use the loaded modules (transform.js), because Jest would
 * evaluate about two thousand modules again for every file. The state of the modules is shared by all files of a
 * worker, as in a long-running process. Each file starts its own services.
 */
module.exports = class BuiltServiceEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.requireBuilt = (path) => require(path);
    // What test files keep for those that the worker runs later.
    this.global.workerState = workerState;
    // Decorators in tests must write to the reflect-metadata that the service reads.
    this.global.Reflect = Reflect;
    // A Date of the service must also be an instance of the tests' Date.
    this.global.Date = Date;
  }

  /** Adds to a failure why the service answered requests of the test with 5xx (server-errors.ts). */
  handleTestEvent({ name, error }) {
    if (name === 'test_start') this.global.describeServerErrors?.clear();
    if ((name !== 'test_fn_failure' && name !== 'hook_failure') || typeof error?.stack !== 'string') return;
    const causes = [...(this.global.describeServerErrors ?? [])].map((describe) => describe());
    if (causes.length === 0) return;
    const { message } = error;
    const value = [message, ...causes].join('\n\n');
    // Some errors of the platform, such as AbortError, only have a getter.
    Object.defineProperty(error, 'message', { value, configurable: true, writable: true });
    error.stack = error.stack.replace(message, () => value);
  }
};
