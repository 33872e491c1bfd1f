import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '../support/service-process';
import { createMigratedFolder, createTempFolder } from '../support/temp-folder';

/** Requests that callers without a token may make, each with a line of the log. */
const REQUESTS = 20;

describe('standard output', () => {
  let service: ServiceProcess;
  const start = async (shell?: string) => {
    service = await ServiceProcess.start({ DATA_DIR: createMigratedFolder() }, { shell });
  };
  const sendRequests = async () => {
    for (let i = 0; i < REQUESTS; i++) expect((await service.http.get('/external/v1/me')).status).toBe(401);
  };

  afterEach(() => service.stop('SIGKILL'));

  it('gets the lines of the last requests when the service ends', async () => {
    await start();
    await sendRequests();
    const { code, stdout } = await service.stop();
    expect(code).toBe(0);
    expect(stdout.match(/"msg":"request"/g)).toHaveLength(REQUESTS);
  });

  it('may be on a full disk', async () => {
    await start('exec "$@" >/dev/full');
    await sendRequests();
    await sleep(500);
    expect((await service.http.get('/health/ready')).status).toBe(200);
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  it('may be closed by the program that reads it', async () => {
    const pipe = join(createTempFolder(), 'pipe');
    await start(`mkfifo ${pipe}; head -n 1 <${pipe} >/dev/null & exec "$@" >${pipe}`);
    await sendRequests();
    await sleep(500);
    expect((await service.http.get('/health/ready')).status).toBe(200);
    expect(await service.stop()).toMatchObject({ code: 0, stderr: '' });
  });
});
