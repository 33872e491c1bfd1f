/**
 * Lints the committed documents with Redocly's strictest rules, without telemetry and update checks. The generator
 * leaves out unused components; Redocly takes those for unused that only an extension references.
 */
import { bin, OPENAPI_FILES, run } from './lib.mjs';

run(bin('redocly'), ['lint', '--extends=recommended-strict', '--skip-rule=no-unused-components', ...OPENAPI_FILES], {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
});
