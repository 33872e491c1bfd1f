import './common/source-maps';
import type { Config } from './core/config';
import { ConfigError, loadConfig } from './core/config/load-config';

/** Loads the application only with valid settings, because that takes most of the time of a start. */
async function runMain(): Promise<void> {
  const config = loadConfigOrExit();
  const { runService } = await import('./run-service.js');
  await runService(config);
}

function loadConfigOrExit(): Config {
  try {
    return loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

void runMain();
