import { ShutdownState } from '../../../src/common/shutdown-state';
import { SERVICE_VERSION } from '../../../src/common/version';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

interface LogLine {
  level: number;
  msg: string;
  requestId?: string;
  route?: string;
  down?: string[];
}

describe('log lines', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  const readLines = () => service.logs.map((line) => JSON.parse(line) as LogLine);

  it('of a request and of its error have the same requestId, trace id and version', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { id: tokenId, token } = await ada.createToken(['machines:read']);
    const headers = { authorization: `Bearer ${token}`, traceparent: TRACEPARENT };
    await queryDatabase(service, 'ALTER TABLE machines RENAME TO machines_elsewhere');
    const response = await fetch(`${service.url}/external/v1/machines`, { headers });
    await queryDatabase(service, 'ALTER TABLE machines_elsewhere RENAME TO machines');

    expect(response.status).toBe(500);
    const requestId = response.headers.get('x-request-id')!;
    const linesOfRequest = () => readLines().filter((line) => line.requestId === requestId);
    await waitFor(() => expect(linesOfRequest()).toHaveLength(2));
    const ids = { requestId, traceId: TRACE_ID, version: SERVICE_VERSION };
    expect(linesOfRequest()).toEqual([
      expect.objectContaining({ msg: 'unexpected error', ...ids }),
      expect.objectContaining({ msg: 'request', status: 500, ...ids }),
    ]);
    expect(linesOfRequest()[1]).toMatchObject({
      level: 50,
      method: 'GET',
      route: '/external/v1/machines',
      operation: 'listMachines',
      code: 'internal_error',
      durationMs: expect.any(Number),
      accountId: ada.accountId,
      tokenId,
    });
  });

  it('tell when readiness changes, but not each health check', async () => {
    const shutdownState = service.app.get(ShutdownState);
    const check = () => service.http.get('/health/ready');
    expectStatus(await check(), 200);
    Object.defineProperty(shutdownState, 'isDraining', { value: true, configurable: true });
    for (let time = 0; time < 3; time++) expectStatus(await check(), 503);
    Reflect.deleteProperty(shutdownState, 'isDraining');
    for (let time = 0; time < 3; time++) expectStatus(await check(), 200);
    expectStatus(await service.http.get('/health/ready?redis=maybe'), 400);

    await waitFor(() => expect(readLines().at(-1)).toMatchObject({ msg: 'request', status: 400 }));
    expect(readLines().filter(({ route }) => route?.startsWith('/health/'))).toHaveLength(1);
    expect(readLines().filter(({ msg }) => msg === 'readiness changed')).toEqual([
      expect.objectContaining({ level: 40, down: ['draining'] }),
      expect.objectContaining({ level: 30, down: [] }),
    ]);
  });
});
