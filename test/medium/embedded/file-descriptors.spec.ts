import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { ServiceProcess } from '../../support/service-process';
import { createMigratedFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const NEXT_CHECK_MS = 3_000;

describe('the embedded database without file descriptors', () => {
  let service: ServiceProcess;
  afterEach(() => service?.stop('SIGKILL'));

  const limitDescriptors = (soft: number) =>
    execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${soft}:`]);

  it('writes again as soon as there are some', async () => {
    service = await ServiceProcess.start({ DATA_DIR: createMigratedFolder(), RATE_LIMIT_METADATA: '10000' });
    const ada = await ForeignAccountDevice.signUp(service.http);
    const createToken = () =>
      service.http.post('/v1/account/external-tokens', ada.token, { name: 'ci', scopes: ['sessions:read'] });
    // Nothing can be opened, whatever PostgreSQL closes for it.
    limitDescriptors(10);
    const answers = [];
    for (let n = 0; n < 20; n++) answers.push((await createToken().catch(() => null))?.status);
    expect(answers.filter((status) => status !== 201).length).toBeGreaterThan(0);
    limitDescriptors(4_096);
    await waitFor(async () => expectStatus(await service.http.get('/health/ready'), 200), NEXT_CHECK_MS);
    for (let n = 0; n < 30; n++) {
      const { id } = expectStatus(await createToken(), 201).data;
      expectStatus(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    }
  });

  it('does not occur by connections, which are limited below the descriptors', async () => {
    const descriptors = 300;
    service = await ServiceProcess.start(
      { DATA_DIR: createMigratedFolder(), RATE_LIMIT_METADATA: '10000' },
      { shell: `ulimit -n ${descriptors}; exec "$@"` },
    );
    const ada = await ForeignAccountDevice.signUp(service.http);
    const sockets: Socket[] = [];
    const isOpen = (socket: Socket) => socket.readyState === 'open';
    try {
      for (let n = 0; n < descriptors; n++) {
        sockets.push(connect(service.port, '127.0.0.1').on('error', () => undefined));
      }
      await waitFor(() => {
        expect(sockets.some((socket) => socket.connecting)).toBe(false);
        expect(sockets.filter(isOpen).length).toBeLessThan(60);
      });
      expect(sockets.some(isOpen)).toBe(true);
      sockets.filter(isOpen).forEach((socket) => socket.destroy());
      await waitFor(() => ada.createToken(['sessions:read']));
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
