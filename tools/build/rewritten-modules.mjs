/** Changes of modules that a bundle needs. Packages are changed only where they look up others at run time. */
import { join, relative, sep } from 'node:path';

/** Packages that TypeOrmHealthIndicator asks for by names that are known only at run time. */
const CHECKED_PACKAGES = ['@nestjs/typeorm', 'typeorm'];
const CHECK_PACKAGE = /[/\\]@nestjs[/\\]terminus[/\\]dist[/\\]utils[/\\]checkPackage\.util\.js$/;
const CREATE_REQUIRE = /^const require = createRequire\(import\.meta\.url\);$/m;

/** Returns the text of a module of a package for a bundle. */
export function rewritePackageModule(path, text) {
  if (CHECK_PACKAGE.test(path)) return rewritePackageCheck(text);
  // The names that it loads are literal, so that the bundler finds them.
  return text.replace(CREATE_REQUIRE, '');
}

function rewritePackageCheck(text) {
  const imports = CHECKED_PACKAGES.map((name) => `'${name}': () => import('${name}')`);
  const changes = [
    ['import.meta.resolve(packageName);', 'if (!(packageName in bundled)) throw new Error(packageName);'],
    ['await import(packageName)', 'await bundled[packageName]()'],
  ];
  for (const [before] of changes) {
    if (!text.includes(before)) throw new Error(`@nestjs/terminus no longer contains "${before}".`);
  }
  const changed = changes.reduce((result, [before, after]) => result.replace(before, after), text);
  return `const bundled = { ${imports.join(', ')} };\n${changed}`;
}

/**
 * Returns the text of a compiled source for a bundle in `bundleFolder`. The files that it reads stay where they are, so
 * its `__dirname` is that of the compiled source.
 */
export function rewriteSource(path, text, bundleFolder) {
  const folder = relative(bundleFolder, join(path, '..')).replaceAll(sep, '/');
  return text.replace(/\b__dirname\b/g, `require("node:path").join(__dirname, ${JSON.stringify(folder)})`);
}
