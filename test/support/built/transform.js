const { createHash } = require('node:crypto');
const { existsSync, readFileSync, realpathSync } = require('node:fs');
const { join, relative, sep } = require('node:path');
const swc = require('@swc/jest');

const ROOT = join(__dirname, '..', '..', '..');
/** Jest passes real paths, also if node_modules is a link, as in a copy of the repository. */
const PACKAGES = realpathSync(join(ROOT, 'node_modules')) + sep;

/** Returns the file that Node loads instead of a module: of the build or of a package. Null if the build has none. */
function builtOf(path) {
  if (path.startsWith(PACKAGES)) return path;
  const built = join(ROOT, 'dist', relative(ROOT, path)).replace(/\.tsx?$/, '.js');
  return existsSync(built) ? built : null;
}

/** Replaces modules of the service, and packages shared with tests, by the instances that the environment loaded. */
module.exports = {
  createTransformer(options) {
    const compiler = swc.createTransformer(options);
    return {
      ...compiler,
      process(source, path, how) {
        const compiled = compiler.process(source, path, how);
        const built = builtOf(path);
        if (built === null) return compiled;
        // A global setup runs outside of the environment.
        const load = `module.exports = requireBuilt(${JSON.stringify(built)});`;
        return { code: `if (globalThis.requireBuilt) ${load} else {\n${compiled.code}\n}` };
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
