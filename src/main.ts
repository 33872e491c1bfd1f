import { createServer, type AddressInfo } from 'node:net';
import './common/source-maps';
import './common/exit-on-signals';
import type { Config } from './core/config';
import { ConfigError, loadConfig } from './core/config/load-config';

/** Loads the application only with valid settings, because that takes most of the time of a start. */
async function runMain(): Promise<void> {
  let config = loadConfigOrExit();
  // The public URL, which devices sign, has the port. A host that is not here gets its error from the server.
  if (config.port === 0) config = loadConfigOrExit(await findUnusedPort(config.host).catch(() => 0));
  const { runService } = await import('./run-service.js');
  await runService(config);
}

function loadConfigOrExit(chosenPort?: number): Config {
  try {
    return loadConfig(undefined, chosenPort);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/** Returns a port of this host on which nothing listens. @throws if the host is not an address of this computer */
function findUnusedPort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

void runMain();
