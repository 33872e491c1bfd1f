/**
 * Packages that stay outside of the bundles, and modules that may be inside although they look like those that can't.
 * A bundle has none of the files beside its modules, and finds no module by a name that is known only at run time.
 */

/** Packages that the image contains beside the bundles, with those that they need. */
export const OUTSIDE = {
  '@electric-sql/pglite': 'reads its WebAssembly and the files of an empty database from its own folder',
  'thread-stream': 'starts workers from its own files, for transports of pino',
  '@opentelemetry/core': 'loaded only by a process that exports spans',
  '@opentelemetry/exporter-trace-otlp-http': 'loaded only by a process that exports spans',
  '@opentelemetry/resources': 'loaded only by a process that exports spans',
  '@opentelemetry/sdk-trace': 'loaded only by a process that exports spans',
};

/** Modules that the service never loads. Most are optional packages that are not installed. */
export const NEVER_LOADED = [
  '@fastify/static',
  '@nestjs/microservices',
  'class-transformer/storage',
  'pg-native',
  'swagger-ui-dist',
];

const REVIEWED = {
  '@nestjs/common/utils/load-package.util.js': 'its callers pass functions that import a literal name',
  '@nestjs/core/helpers/load-adapter.js': 'its callers pass functions that import a literal name',
  '@nestjs/core/helpers/optional-require.js': 'its callers pass functions that import a literal name',
  '@nestjs/terminus/dist/health-indicator/microservice/grpc.health.js': 'the service has no health check of gRPC',
  'express/lib/view.js': 'the service renders no views of Express',
  'fdir/dist/index.cjs': 'asks only whether picomatch is there, which it gets from tinyglobby',
  'ioredis/built/Command.js': 'names its folder in stack traces',
  'pino/lib/transport.js': 'the service uses no transports',
  'socket.io/dist/index.js': 'the service does not serve the client of socket.io',
  'typeorm/connection/ConnectionOptionsReader.js': 'the service passes its options',
  'typeorm/platform/PlatformTools.js': 'the service passes its driver',
  'typeorm/util/ImportUtils.js': 'the service passes classes of entities and migrations, not names of files',
  'undici/index.js': 'names its file in stack traces',
};

const PACKAGE_MODULE = /^.*node_modules\/(.+)$/;
const COMMENT = /^\s*(\*|\/\/|\/\*).*$/gm;
/** `require` and `import` of anything but a literal name count. */
const FILE_ACCESS = [
  /\b__dirname\b|\b__filename\b|\bimport\.meta\b|\brequire\.resolve\(|\bnew Worker\(/,
  /\b(?:require|import)\((?!\s*(["'`])[^"'`$]*\1\s*[,)])/,
];

/**
 * Returns why a module of a package can't be bundled: it reads files beside it or loads modules by computed names, and
 * isn't reviewed. Returns null for all others.
 */
export function findFileAccess(path, text) {
  const [, name] = PACKAGE_MODULE.exec(path.replaceAll('\\', '/')) ?? [];
  if (name === undefined || name in REVIEWED) return null;
  const code = text.replace(COMMENT, '');
  const found = FILE_ACCESS.map((pattern) => pattern.exec(code)?.[0]).find((access) => access !== undefined);
  if (found === undefined) return null;
  return (
    `${name} must stay outside of the bundles, because it contains "${found}". Name its package in OUTSIDE of ` +
    'tools/build/outside.mjs, or the module in REVIEWED if no program runs that line.'
  );
}
