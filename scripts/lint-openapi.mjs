/** The committed document under Redocly's strictest rules; without telemetry and look-ups of newer versions. */
import { bin, run } from './lib.mjs';

run(bin('redocly'), ['lint', '--extends=recommended-strict', 'openapi.json'], {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
});
