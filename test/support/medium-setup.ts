import provideEmbeddedTemplate from './embedded-template';
import { listMissingServices } from './missing-services';
import { ensureProgramsBuilt } from './ensure-service-built';
import providePostgresTemplate from './postgres-template';

/** Builds the service, provides a migrated data folder and database to copy, and checks what services are available. */
export default async function setUpMediumTests(): Promise<void> {
  await detectMissingServices();
  await ensureProgramsBuilt();
  await provideEmbeddedTemplate();
  if (!process.env.TEST_MISSING_SERVICES!.includes('PostgreSQL')) await providePostgresTemplate();
}

async function detectMissingServices(): Promise<void> {
  const missing = await listMissingServices();
  process.env.TEST_MISSING_SERVICES = missing.join(',');
  if (missing.length === 0) return;
  const suites = `the medium suites that need ${missing.join(' and ')}`;
  const line = `Skipped: ${suites}. To run them: docker compose up -d postgres redis`;
  if (process.env.REQUIRE_SERVICES === '1') throw new Error(line);
  process.stdout.write(`${line}\n`);
}
