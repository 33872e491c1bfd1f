/** Compiler options of the build, of tests, and of programs beside the service. */
const { join } = require('node:path');

module.exports = {
  jsc: {
    parser: { syntax: 'typescript', tsx: true, decorators: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: false,
      react: { runtime: 'automatic', importSource: 'preact' },
    },
    target: 'es2022',
    // Imports of the repository's own packages become relative paths, to sources in tests and to dist/ in a build.
    baseUrl: join(__dirname, '..'),
    paths: {
      '@external-api/client': ['clients/typescript/src/index.ts'],
      '@external-api/device': ['clients/device/src/index.ts'],
      '@external-api/forward-proxy': ['packages/forward-proxy/src/index.ts'],
      '@external-api/forward-proxy/programs': ['packages/forward-proxy/src/programs.ts'],
      '@external-api/pages': ['packages/pages/src/index.ts'],
      '@external-api/pages/browser': ['packages/pages/src/browser/index.ts'],
      '@external-api/protocol': ['packages/protocol/src/index.ts'],
      '@external-api/protocol/portable': ['packages/protocol/src/portable.ts'],
    },
    keepClassNames: true,
  },
  module: { type: 'commonjs', ignoreDynamic: true },
};
