import { isMissing } from './dependencies';
import provideEmbeddedTemplate from './embedded-template';
import providePostgresTemplate from './postgres-template';

/**
 * Provides the template of PostgreSQL if it and Redis are available, since a service on it takes less CPU time. Some
 * files start programs on the embedded database all the same.
 */
export default async function provideAvailableTemplate(): Promise<void> {
  await provideEmbeddedTemplate();
  if (!isMissing('PostgreSQL', 'Redis')) await providePostgresTemplate();
}
