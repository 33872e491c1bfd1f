import { isMissing } from './dependencies';
import provideEmbeddedTemplate from './embedded-template';
import { ensureProgramsBuilt } from './ensure-service-built';
import providePostgresTemplate from './postgres-template';

/** Builds the service, and provides a migrated data folder and database to copy. */
export default async function setUpMediumTests(): Promise<void> {
  await ensureProgramsBuilt();
  await provideEmbeddedTemplate();
  if (!isMissing('PostgreSQL')) await providePostgresTemplate();
}
