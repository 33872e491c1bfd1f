import { DeviceSocket } from '../../support/device/device-socket';
import { AccountDevice } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { environmentFor } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { describeOwnPostgres, ThrowAwayPostgres } from '../../support/throw-away-postgres';

describeOwnPostgres('presence that could not be written', () => {
  let postgres: ThrowAwayPostgres;
  let service: ServiceProcess;
  let ada: AccountDevice;
  beforeAll(async () => {
    postgres = await ThrowAwayPostgres.create();
    service = await ServiceProcess.start(environmentFor(postgres.url));
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await postgres?.remove();
  });

  const state = async () => (await service.http.get('/v1/devices', ada.token)).body.data?.[0].state as string;

  it('is written when the database is back, without another connection of the device', async () => {
    const socket = await DeviceSocket.connect(`http://127.0.0.1:${service.port}`, ada.token, []);
    await eventually(async () => expect(await state()).toBe('online'));
    await postgres.stop('immediate');
    socket.close();
    await socket.disconnected;
    await eventually(async () => expect((await service.http.get('/health/ready')).status).toBe(503));
    await postgres.start();
    await eventually(async () => expect(await state()).toBe('offline'), 15_000);
  });

  it('holds up no clean stop', async () => {
    const socket = await DeviceSocket.connect(`http://127.0.0.1:${service.port}`, ada.token, []);
    await eventually(async () => expect(await state()).toBe('online'));
    await postgres.stop('immediate');
    socket.close();
    await socket.disconnected;
    const begunAt = performance.now();
    expect(await service.stop()).toMatchObject({ code: 0 });
    expect(performance.now() - begunAt).toBeLessThan(30_000);
  });
});
