import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from './project-root';

const manifest = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string };

/** Release of the service. It tells releases apart in logs, metrics and traces during a rolling deploy. */
export const SERVICE_VERSION = manifest.version;
