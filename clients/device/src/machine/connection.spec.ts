import { MAX_LIVE_OUTPUT_BYTES } from '@external-api/protocol';
import { LiveOutputRequests } from '../live/live-output-requests';
import { FakeService } from '../testing/fake-service';
import { waitUntil } from '../testing/served-machine';
import { Connection } from './connection';
import { RelayRequestHandler } from './relay-request-handler';
import { ServerClock } from './server-clock';

const MESSAGE = {
  invocationId: 'inv_1',
  stream: 'stdout' as const,
  offset: 0,
  data: Buffer.alloc(MAX_LIVE_OUTPUT_BYTES).toString('base64'),
};

let service: FakeService;
let connection: Connection;
let liveOutput: LiveOutputRequests;

beforeEach(async () => {
  service = await new FakeService().start();
  jest.spyOn(service.accounts, 'authenticateDevice').mockReturnValue({} as never);
  const clock = new ServerClock();
  liveOutput = new LiveOutputRequests(clock, () => true);
  connection = await Connection.openConnection({
    url: service.url,
    token: 'token',
    capabilities: ['invocation'],
    requestHandler: new RelayRequestHandler(clock, {}),
    liveOutput,
    onHello: ({ serverTime }) => clock.setServerTime(serverTime),
    onDrain: () => undefined,
  });
});
afterEach(async () => {
  connection.close();
  await service.stop();
});

it('is congested while the service reads nothing', async () => {
  const { socket } = service.sockets[0]!.conn.transport as unknown as {
    socket: { pause(): void; resume(): void };
  };
  socket.pause();
  let count = 0;
  for (; !connection.isCongested && count < 1_000; await new Promise(setImmediate), count++)
    connection.sendLiveMessage('output', MESSAGE);
  expect(connection.isCongested).toBe(true);
  socket.resume();
  await waitUntil(() => service.outputs.length === count, 20_000);
  expect(connection.isCongested).toBe(false);
}, 60_000);

it('holds leases until it ends, and sends nothing afterwards', async () => {
  service.watch({ invocationId: 'inv_1' });
  await waitUntil(() => liveOutput.findInvocationConnection('inv_1') === connection, 10_000);
  service.sockets[0]!.disconnect(true);
  await waitUntil(() => liveOutput.findInvocationConnection('inv_1') === undefined, 10_000);
  connection.sendLiveMessage('output', MESSAGE);
  expect(service.outputs).toEqual([]);
});
