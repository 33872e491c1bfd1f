import { EventStreamRegistry } from '../../../src/modules/event-streams/event-stream-registry';
import { ApprovalFixture } from '../../support/approval-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { GuideShell, readGuideCommands } from '../../support/guide-shell';
import { waitFor } from '../../support/wait-for';

/** The process of the device, its agent and its commands, read over the service. */
describe('live output of the reference device', () => {
  let fixture: ApprovalFixture;
  let machineId: string;
  let sessionId: string;
  let clients: EventStreamClient[];

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    const machine = await fixture.startMachine();
    machineId = machine.id;
    sessionId = await fixture.startSession(machine);
  });
  beforeEach(() => {
    clients = [];
  });
  afterEach(() => Promise.all(clients.map((client) => client.close())));
  afterAll(() => fixture?.stop());

  const open = async (path: string, token = fixture.token) => {
    const client = await EventStreamClient.open(`${fixture.service.url}/external/v1${path}`, token);
    clients.push(client);
    return client;
  };
  const filterData = (stream: EventStreamClient, type: string) =>
    stream.events.filter((event) => event.type === type).map(({ data }) => data);

  it('has the text of an agent before its message is stored, part by part', async () => {
    const stream = await open(`/sessions/${sessionId}/events?content=plaintext&types=message.created`);
    const words = ['alpha ', 'beta ', 'gamma ', 'délta'];
    const content = words.map((word) => `say ${word}\nwait 400`).join('\n');
    const { result } = expectStatus(
      await fixture.post(`/sessions/${sessionId}/messages`, { content, waitMs: 25_000 }),
      200,
    );
    await waitFor(() => expect(filterData(stream, 'message.created')).toHaveLength(2), 20_000);
    const answer = filterData(stream, 'message.created')[1].data;
    const deltas = filterData(stream, 'delta');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map(({ n }) => n)).toEqual(deltas.map((_, index) => index));
    expect(new Set(deltas.map(({ localId }) => localId))).toEqual(new Set([answer.localId]));
    expect(new Set(deltas.map(({ turnId }) => turnId))).toEqual(new Set([result.turn.id]));
    const text = deltas.map((delta) => delta.content).join('');
    expect(answer.content.content.startsWith(text)).toBe(true);
    const firstDelta = stream.events.findIndex(({ type }) => type === 'delta');
    expect(firstDelta).toBeLessThan(stream.events.findIndex(({ data }) => data.data?.id === answer.id));
  });

  it('shows a tool call while it runs, before its message is stored under the same id', async () => {
    const stream = await open(`/sessions/${sessionId}/events?content=plaintext&deltas=tool,plan`);
    const content = 'plan Build|Test\nslow-tool 1500\nsay Done.';
    expectStatus(await fixture.post(`/sessions/${sessionId}/messages`, { content, waitMs: 25_000 }), 200);
    await waitFor(() => expect(filterData(stream, 'message.created')).toHaveLength(3), 20_000);
    const stored = filterData(stream, 'message.created').find(({ data }) => data.role === 'tool').data;
    const deltas = filterData(stream, 'delta');
    const [plan] = deltas.filter(({ kind }) => kind === 'plan');
    expect(JSON.parse(plan.content).entries.map((entry: any) => entry.content)).toEqual(['Build', 'Test']);
    const [tool] = deltas.filter(({ kind }) => kind === 'tool');
    expect(JSON.parse(tool.content)).toMatchObject({ title: 'Run the tests', status: 'in_progress' });
    expect(tool.localId).toBe(stored.localId);
    const firstTool = stream.events.findIndex(({ type, data }) => type === 'delta' && data.kind === 'tool');
    expect(firstTool).toBeLessThan(stream.events.findIndex(({ data }) => data.data?.id === stored.id));
    expect(deltas.every(({ kind }) => kind === 'plan' || kind === 'tool')).toBe(true);
  });

  it('is printed by the guide’s program, each answer once', async () => {
    const shell = new GuideShell();
    const [program] = readGuideCommands('event-streams', 'While an agent writes', fixture.service.url, 'js');
    let output = '';
    const env = { TOKEN: fixture.token, SESSION: sessionId, PROGRAM: program };
    const printing = shell
      .runCommands('exec node --input-type=module -e "$PROGRAM" >&2', env, (text) => (output = text))
      .catch(() => undefined);
    const registry = fixture.service.app.get(EventStreamRegistry, { strict: false });
    await waitFor(() => expect(registry.size).toBe(1), 20_000);
    for (const content of ['say one,\nwait 400\nsay two,\nwait 400\nsay three', 'say four']) {
      expectStatus(await fixture.post(`/sessions/${sessionId}/messages`, { content, waitMs: 25_000 }), 200);
    }
    await waitFor(() => expect(output).toBe('stream.opened\none,two,three\nfour\n'), 20_000);
    shell.close();
    await printing;
  });

  it('has what a command writes, at the offsets of its output', async () => {
    const { token } = await fixture.ada.createToken(['machines:invoke', 'sessions:read']);
    const path = `/machines/${machineId}/invocations`;
    const script = 'for n in 1 2 3 4 5; do echo "line $n"; sleep 0.3; done; echo problem >&2';
    const json = { command: 'sh', args: ['-c', `sleep 1; ${script}`] };
    const invocation = expectStatus(await fixture.service.http.post(`/external/v1${path}`, token, json), 202).data;
    const stream = await open(`${path}/${invocation.id}/events`, token);
    expect(stream.opened!.data.data).toMatchObject({ id: invocation.id });
    await stream.ended;
    const joinOutput = (name: string) => {
      const parts = filterData(stream, 'output').filter((output) => output.stream === name);
      let position = 0;
      for (const { offset, data } of parts) {
        expect(offset).toBe(position);
        position += Buffer.from(data, 'base64').length;
      }
      return parts.map(({ data }) => Buffer.from(data, 'base64').toString()).join('');
    };
    expect(joinOutput('stdout')).toBe('line 1\nline 2\nline 3\nline 4\nline 5\n');
    expect(joinOutput('stderr')).toBe('problem\n');
    expect(filterData(stream, 'output').length).toBeGreaterThan(2);
    expect(filterData(stream, 'invocation.ended')).toMatchObject([
      { data: { id: invocation.id, state: 'completed', exitCode: 0 } },
    ]);
  });

  it('of a command that writes more than may be sent jumps, and ends with its last bytes', async () => {
    const { token } = await fixture.ada.createToken(['machines:invoke', 'sessions:read']);
    const path = `/machines/${machineId}/invocations`;
    const json = { command: 'sh', args: ['-c', 'sleep 1; head -c 20000000 /dev/zero; echo; echo the end'] };
    const invocation = expectStatus(await fixture.service.http.post(`/external/v1${path}`, token, json), 202).data;
    const stream = await open(`${path}/${invocation.id}/events`, token);
    await stream.ended;
    const outputs = filterData(stream, 'output');
    const sentBytes = outputs.reduce((sum, { data }) => sum + Buffer.from(data, 'base64').length, 0);
    expect(sentBytes).toBeLessThan(20_000_000);
    const last = outputs.at(-1)!;
    const bytes = Buffer.from(last.data, 'base64');
    expect(bytes.toString()).toMatch(/\nthe end\n$/);
    expect(last.offset + bytes.length).toBe(20_000_000 + '\nthe end\n'.length);
  });
});
