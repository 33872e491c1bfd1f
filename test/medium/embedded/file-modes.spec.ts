import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';
import { ServiceProcess } from '../../support/service-process';

const WARNING = 'DATA_DIR is accessible to other users';

describe('the files of the embedded database', () => {
  const running: ServiceProcess[] = [];
  afterEach(() => Promise.all(running.splice(0).map((service) => service.stop('SIGKILL'))));

  /** Starts the service with the usual umask and returns its log. */
  async function start(dataDir: string): Promise<{ service: ServiceProcess; log: string[] }> {
    const log: string[] = [];
    const options = { shell: 'umask 022; exec "$@"', onLine: (line: string) => void log.push(line) };
    const service = await ServiceProcess.start({ DATA_DIR: dataDir }, options);
    running.push(service);
    return { service, log };
  }

  const all = (dataDir: string): string[] => {
    const pg = join(dataDir, 'pg');
    const names = readdirSync(pg, { recursive: true }) as string[];
    return [pg, ...names.map((name) => join(pg, name))];
  };
  const openToOthers = (dataDir: string) => all(dataDir).filter((path) => (statSync(path).mode & 0o077) !== 0);

  it('are readable only by their owner in an existing folder, whose mode is logged', async () => {
    const dataDir = join(createTempFolder(), 'data');
    mkdirSync(dataDir, { mode: 0o755 });
    const { service, log } = await start(dataDir);
    await ForeignAccountDevice.signUp(service.http);
    expect(all(dataDir).length).toBeGreaterThan(500);
    expect(openToOthers(dataDir)).toEqual([]);
    await waitFor(() => {
      const warnings = log.filter((line) => line.includes(WARNING)).map((line) => JSON.parse(line) as object);
      expect(warnings).toEqual([expect.objectContaining({ level: 40, dataDir })]);
    });
  });

  it('are restricted at the next start after an earlier release', async () => {
    const dataDir = join(createTempFolder(), 'data');
    const first = await start(dataDir);
    await ForeignAccountDevice.signUp(first.service.http);
    await first.service.stop();
    expect(first.log.join()).not.toContain(WARNING);
    for (const path of all(dataDir)) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o666);
    const { service } = await start(dataDir);
    await ForeignAccountDevice.signUp(service.http);
    expect(openToOthers(dataDir)).toEqual([]);
  });
});
