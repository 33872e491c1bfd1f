import { describeWith } from '../../support/dependencies';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { createDatabaseEnvironment } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { TemporaryPostgres } from '../../support/temporary-postgres';

describeWith('pg_ctl')('presence that could not be written', () => {
  let postgres: TemporaryPostgres;
  let service: ServiceProcess;
  let ada: ForeignAccountDevice;
  beforeAll(async () => {
    postgres = await TemporaryPostgres.createCluster();
    service = await ServiceProcess.start(createDatabaseEnvironment(postgres.url));
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await postgres?.removeCluster();
  });

  const state = async () => (await service.http.get('/v1/devices', ada.token)).body.data?.[0].state as string;

  it('is written after the outage without a reconnection of the device', async () => {
    const socket = await DeviceSocket.connect(`http://127.0.0.1:${service.port}`, ada.token, []);
    await waitFor(async () => expect(await state()).toBe('online'));
    await postgres.stop('immediate');
    socket.close();
    await socket.disconnected;
    await waitFor(async () => expect((await service.http.get('/health/ready')).status).toBe(503));
    await postgres.start();
    await waitFor(async () => expect(await state()).toBe('offline'), 15_000);
  });

  it('doesn’t delay a graceful shutdown', async () => {
    const socket = await DeviceSocket.connect(`http://127.0.0.1:${service.port}`, ada.token, []);
    await waitFor(async () => expect(await state()).toBe('online'));
    await postgres.stop('immediate');
    socket.close();
    await socket.disconnected;
    const begunAt = performance.now();
    expect(await service.stop()).toMatchObject({ code: 0 });
    expect(performance.now() - begunAt).toBeLessThan(30_000);
  });
});
