import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './lib.mjs';
import swcOptions from './swc-options.cjs';
import { getOrCreateText } from './text-cache.mjs';

/** What determines the code beside the sources, whose hashes the record of the build has with that of the lockfile. */
const SOURCES = ['dist/.build.json', 'nest-cli.json', 'tsconfig.json', 'tools/swagger-plugin.mjs'];

/**
 * Compiles the DTOs with the plugin of @nestjs/swagger, with its options in nest-cli.json. It turns types, validators
 * and comments into schemas. The build has no schemas, because the service serves the committed openapi.json. Requires
 * an up-to-date build.
 * @returns code by path of the file in dist/ that it replaces
 */
export async function compileDtosWithSchemas() {
  const sources = SOURCES.map((file) => readFileSync(join(root, file)));
  const text = await getOrCreateText('dtos', sources, async () => JSON.stringify(await compileDtos()));
  return new Map(JSON.parse(text).map(([path, code]) => [join(root, path), requireOwnPackages(code)]));
}

/** Returns the path in the repository and the code of each compiled file. */
async function compileDtos() {
  const { before: createSwaggerTransformer } = await import('@nestjs/swagger/plugin');
  const { default: ts } = await import('./typescript-api.mjs');
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));
  const { options: pluginOptions } = compilerOptions.plugins.find(({ name }) => name === '@nestjs/swagger');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root);
  const files = readdirSync(join(root, 'src'), { recursive: true })
    .filter((path) => path.endsWith('.dto.ts'))
    // TypeScript orders the members of a union by their first occurrence.
    .sort()
    .map((path) => join(root, 'src', path));
  const program = ts.createProgram(files, {
    ...options,
    types: ['node'],
    sourceMap: false,
    incremental: false,
    tsBuildInfoFile: undefined,
  });
  const transformers = { before: [createSwaggerTransformer(pluginOptions, program)] };
  const compiled = [];
  for (const file of files) {
    const keep = (path, code) => compiled.push([relative(root, path), code]);
    program.emit(program.getSourceFile(file), keep, undefined, false, transformers);
  }
  return compiled;
}

/** Makes compiled code load the repository's own packages from dist/, as the build's code does. */
function requireOwnPackages(code) {
  return Object.entries(swcOptions.jsc.paths).reduce((text, [name, [source]]) => {
    const built = join(root, 'dist', source.replace(/\.ts$/, '.js'));
    return text.replaceAll(`require("${name}")`, `require(${JSON.stringify(built)})`);
  }, code);
}
