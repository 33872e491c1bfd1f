const { createHash } = require('node:crypto');
const { existsSync, readFileSync } = require('node:fs');
const { join, relative, sep } = require('node:path');
const swc = require('@swc/jest');

const ROOT = join(__dirname, '..', '..', '..');
const PACKAGES = join(ROOT, 'node_modules') + sep;

/** The file that Node loads in place of a module: the build's, or a package's own; null where the build has none. */
function builtOf(path) {
  if (path.startsWith(PACKAGES)) return path;
  const built = join(ROOT, 'dist', relative(ROOT, path)).replace(/\.tsx?$/, '.js');
  return existsSync(built) ? built : null;
}

/** Modules of the service, and the packages that it shares with tests, become what the environment has loaded already. */
module.exports = {
  createTransformer(options) {
    const compiler = swc.createTransformer(options);
    return {
      ...compiler,
      process(source, path, how) {
        const compiled = compiler.process(source, path, how);
        const built = builtOf(path);
        if (built === null) return compiled;
        // A global setup runs outside of any environment.
        return {
          code: `if (globalThis.requireBuilt) module.exports = requireBuilt(${JSON.stringify(built)}); else {\n${compiled.code}\n}`,
        };
      },
      getCacheKey(source, path, how) {
        const hash = createHash('sha256')
          .update(readFileSync(__filename))
          .update(String(builtOf(path)));
        return hash.update(compiler.getCacheKey(source, path, how)).digest('hex');
      },
    };
  },
};
