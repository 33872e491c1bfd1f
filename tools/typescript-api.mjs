/** The API of TypeScript. An import of the package would parse all of it for its exports, which triples the time. */
import { createRequire } from 'node:module';

export default createRequire(import.meta.url)('typescript');
