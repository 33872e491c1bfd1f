import { join } from 'node:path';
import { ensureServiceBuilt } from './ensure-service-built';
import { computeTemplateVersion, migrateDataFolder } from './migrated-template';
import { provideTemplate } from './template-cache';

const CACHE_FOLDER = join(__dirname, '..', '..', 'node_modules', '.cache', 'external-api');

/**
 * Provides a migrated data folder that all test files copy, because initdb takes seconds. Later runs use the same
 * folder as long as the migrations stay the same.
 */
export default async function provideEmbeddedTemplate(): Promise<void> {
  await ensureServiceBuilt();
  process.env.TEST_EMBEDDED_TEMPLATE = provideTemplate(CACHE_FOLDER, computeTemplateVersion(), migrateDataFolder);
}
