/** Lints the committed document with Redocly's strictest rules, without telemetry and update checks. */
import { bin, run } from './lib.mjs';

run(bin('redocly'), ['lint', '--extends=recommended-strict', 'openapi.json'], {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
});
