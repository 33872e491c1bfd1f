import { FaultProxy } from '../support/clients/fault-proxy';
import { describeWith } from '../support/dependencies';
import { waitFor } from '../support/wait-for';
import { IntegrationFixture } from './support/integration-fixture';
import { PythonProcess, runPython } from './support/python';

describeWith('python3')('an event stream of the Python client', () => {
  let fixture: IntegrationFixture;
  let proxy: FaultProxy;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    fixture = await IntegrationFixture.start();
    proxy = await FaultProxy.start(fixture.url);
    env = { HOST_URL: proxy.url, TOKEN: fixture.token };
  });
  beforeEach(() => proxy.reset());
  afterAll(async () => {
    await proxy?.stop();
    await fixture?.stop();
  });

  it('yields each event once when the service is killed in the middle of a stream', async () => {
    const script = `
for event in client.events(["session.created", "session.ended"]):
    show([event.type, event.data.get("id"), event.cursor is not None])
`;
    const stream = new PythonProcess(script, env);
    const readIds = () => stream.values.filter(([type]) => type === 'session.created').map(([, id]) => id);
    await stream.waitForValues((values) => expect(values).toEqual([['stream.opened', null, true]]));
    const first = await fixture.ada.createSession(fixture.ada);
    await waitFor(() => expect(readIds()).toEqual([first.id]), 20_000);

    proxy.lastingFault = 'reset-before';
    await fixture.killService();
    await fixture.restartService();
    const second = await fixture.ada.createSession(fixture.ada);
    const third = await fixture.ada.createSession(fixture.ada);
    proxy.lastingFault = null;
    await waitFor(() => expect(readIds()).toEqual([first.id, second.id, third.id]), 30_000);
    expect((await stream.stop()).stderr).toBe('');
  });

  it('is opened again when the computer had no network to resolve the name of a host that has answered', async () => {
    const script = `
import socket
resolve = socket.getaddrinfo
def lose_network(*_args, **_options):
    socket.getaddrinfo = resolve
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
socket.getaddrinfo = lose_network
try:
    client.me()
except ConnectionFailed as error:
    show(error.lasting)
client.me()
socket.getaddrinfo = lose_network
show(next(client.events()).type)
`;
    expect(await runPython(script, env)).toEqual([true, 'stream.opened']);
  });

  it('is opened again after 40 s of silence, however long calls may take', async () => {
    proxy.faults = ['buffer'];
    const script = `
import external_api
show(external_api._RESPONSE_TIMEOUT)
external_api._RESPONSE_TIMEOUT = 1.0
patient = Client(client.host, os.environ["TOKEN"], timeout=3_600)
show(next(patient.events()).type)
`;
    expect(await runPython(script, env)).toEqual([40, 'stream.opened']);
    expect(proxy.requests).toHaveLength(2);
  });
});
