import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { itWith } from '../support/dependencies';
import { ServiceProcess } from '../support/service-process';
import { createMigratedFolder, createTempFolder } from '../support/temp-folder';

/** Requests that callers without a token may make, each with a line of the log. */
const REQUESTS = 20;

/** Replaces itself by a service whose output is a terminal, which is closed once the service listens. */
const ON_TERMINAL = `
import os, pty, sys
terminal, output = pty.openpty()
if os.fork() == 0:
    os.close(output)
    text = b""
    while b"Listening" not in text:
        text += os.read(terminal, 4096)
    os._exit(0)
os.close(terminal)
os.dup2(output, 1)
os.close(output)
os.execv(sys.argv[1], sys.argv[1:])
`;

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

  itWith('python3')('may be a terminal that is closed', async () => {
    await start(`exec python3 -c '${ON_TERMINAL}' "$@"`);
    await sleep(500);
    await sendRequests();
    expect((await service.http.get('/health/ready')).status).toBe(200);
    expect(await service.stop()).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});
