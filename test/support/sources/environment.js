const BuiltServiceEnvironment = require('../built/environment');

/**
 * Where the packages that Node loads once keep what decorators say. Each test file evaluates the decorated classes
 * anew, so each needs stores of its own: those of the build's classes stay as they are, and memory does not grow.
 */
const STORES = ['typeormMetadataArgsStorage', 'classValidatorMetadataStorage'];

/** Loads packages with Node once per worker, and sources for each test file. */
module.exports = class SourcesEnvironment extends BuiltServiceEnvironment {
  async setup() {
    await super.setup();
    this.outerStores = STORES.map((name) => globalThis[name]);
    for (const name of STORES) delete globalThis[name];
  }

  async teardown() {
    for (const [index, name] of STORES.entries()) globalThis[name] = this.outerStores[index];
    await super.teardown();
  }
};
