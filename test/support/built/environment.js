const { TestEnvironment } = require('jest-environment-node');

/**
 * Jest evaluates every module anew for every file, and the whole service is some two thousand. Here the build is loaded by
 * Node itself, once in a worker, and files of tests are given what is there (transform.js). What it holds is the same
 * for all files of a worker, as in a process that serves for long; each file starts services of its own.
 */
module.exports = class BuiltServiceEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.requireBuilt = (path) => require(path);
    // Decorators of a test's own modules write where the service's reflect-metadata reads.
    this.global.Reflect = Reflect;
    // What the service hands out is a Date to the tests too.
    this.global.Date = Date;
  }
};
