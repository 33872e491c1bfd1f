import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../support/dependencies';
import { createScratchFolder } from '../support/scratch-folder';
import { waitFor } from '../support/wait-for';
import { createTerminalSession } from '../support/terminal-session';
import { IntegrationFixture } from './support/integration-fixture';
import { PythonProcess, runPython } from './support/python';

describeWith('python3')('the Python client', () => {
  let fixture: IntegrationFixture;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    fixture = await IntegrationFixture.start();
    env = { HOST_URL: fixture.url, TOKEN: fixture.token, MACHINE: fixture.machine.id };
  });
  afterAll(() => fixture?.stop());

  it('reads the account, all pages of lists, and usage', async () => {
    const sessions = [await fixture.startSession(), await fixture.startSession(), await fixture.startSession()];
    const script = `
show(client.me()["account"]["username"])
show([session["id"] for session in client.sessions(limit=2, order="asc", machineId=os.environ["MACHINE"])])
show([machine["state"] for machine in client.machines()])
show(list(client.artifacts()))
show([row["operation"] for row in client.usage(groupBy="operation")])
`;
    const [username, ids, states, artifacts, operations] = await runPython(script, env);
    expect(username).toBe(fixture.ada.username);
    expect(ids.slice(-3)).toEqual(sessions);
    expect(states).toEqual(['online']);
    expect(artifacts).toEqual([]);
    expect(operations).toContain('startSession');
  });

  it('sends a message, waits for a turn of several calls, and reads the answer', async () => {
    const script = `
short = client.send(os.environ["SESSION"], "say hello")
show([short["reply"], short["turn"]["state"]])
import external_api
external_api._TURN_WAIT_MS = 0
long = client.send(os.environ["SESSION"], "wait 1500\\nsay done")
show(long["turn"]["state"])
messages = client.messages(os.environ["SESSION"], turnId=long["turn"]["id"], role="assistant")
show([client.content(os.environ["SESSION"], message["id"]) for message in messages])
try:
    client.send(os.environ["SESSION"], "wait-for later", timeout=0.5)
except WaitTimeout as error:
    show(error.record["state"])
    client.cancel_turn(os.environ["SESSION"], error.record["id"])
    show(client.wait_for_turn(os.environ["SESSION"], error.record["id"])["state"])
`;
    const SESSION = await fixture.startSession();
    const values = await runPython(script, { ...env, SESSION });
    expect(values).toEqual([['hello', 'completed'], 'completed', ['done'], 'running', 'cancelled']);
  });

  it('sends files by path and by name, and the agent finds them on its machine', async () => {
    const file = join(createScratchFolder(), 'notes.txt');
    writeFileSync(file, 'größe');
    const script = `
session = os.environ["SESSION"]
show(client.send(session, "say Read:", files=[os.environ["FILE"], ("a.bin", b"\\xff")])["reply"])
started = client.start(os.environ["MACHINE"], "say Read:", files=[("b.txt", b"b")], grant=True)
[reply] = client.messages(started["sessionId"], role="assistant")
show(client.content(started["sessionId"], reply["id"]))
client.end(started["sessionId"])
`;
    const [sent, started] = await runPython(script, { ...env, FILE: file, SESSION: await fixture.startSession() });
    const paths = [...(sent as string).matchAll(/\/\S*\/[12]-[a-z.]+?(?=You|$)/g)].map(([path]) => path);
    expect(paths.map((path) => readFileSync(path).toString('latin1'))).toEqual(['grÃ¶Ã\u009fe', '\xff']);
    expect(started).toMatch(/\/1-b\.txt$/);
  });

  it('lists the sessions of the terminal, and continues a copy of one', async () => {
    for (const name of ['a', 'b', 'c'])
      createTerminalSession(fixture.agentFolder, `session-${name}`, fixture.folder, [`say ${name}`]);
    const script = `
sessions = client.agent_sessions(os.environ["MACHINE"], agent="test", cwd=os.environ["FOLDER"])
show([session["title"] for session in sessions if session["sessionId"] is None])
continued = client.start(os.environ["MACHINE"], "memory", agent="test", resume="session-b", fork=True, grant=True)
client.wait_for_turn(continued["sessionId"], continued["turn"]["id"])
[reply] = client.messages(continued["sessionId"], role="assistant", turnId=continued["turn"]["id"])
show(client.content(continued["sessionId"], reply["id"]))
`;
    const values = await runPython(script, { ...env, FOLDER: fixture.folder });
    expect(values).toEqual([expect.arrayContaining(['say a', 'say b', 'say c']), 'say b']);
  });

  it('shows and changes the options of an agent, and rejects a message while it works', async () => {
    const script = `
session = client.start(os.environ["MACHINE"], options={"mode": "auto"})["sessionId"]
modes = lambda offer: [option["value"] for option in offer["options"] if option["id"] == "mode"]
show(modes(client.options(session)))
show(modes(client.change_options(session, {"mode": "ask"})))
try:
    client.send(session, "silent", timeout=0.5)
except WaitTimeout as error:
    pass
try:
    client.send(session, "say more", if_busy="reject")
except ApiError as error:
    show([error.code, error.outcome])
show(client.send(session, "mode", if_busy="interrupt")["reply"])
client.end(session)
show(modes(client.options(client.start(os.environ["MACHINE"], mode="auto")["sessionId"])))
`;
    expect(await runPython(script, env)).toEqual([
      ['auto'],
      ['ask'],
      ['session_busy', 'not_delivered'],
      'ask, set by the client',
      ['auto'],
    ]);
  });

  it('starts a session, reads what the agent asks, approves it, and waits for the rest of the turn', async () => {
    const SESSION = await fixture.startSession();
    const script = `
started = client.start(os.environ["MACHINE"], "say ready", agent="test", grant=True)
[reply] = client.messages(started["sessionId"], role="assistant")
show([client.content(started["sessionId"], reply["id"]), started["grant"]["id"][:4]])
show([started["turn"]["state"], client.end(started["sessionId"])["state"]])
show(client.session_content(started["sessionId"])["title"])
session = os.environ["SESSION"]
turn = client.send(session, "edit approved.txt written")["turn"]
[request] = client.permission_requests(session, state="pending")
before = client.wait_for_turn(session, turn["id"])
asked, content_hash = client.permission_content(session, request["id"])
show([turn["state"], asked["title"]])
try:
    client.decide(session, request["id"], "allow", "A" * 43)
except ApiError as error:
    show([error.status, error.code])
show(client.decide(session, request["id"], "allow", content_hash)["state"])
show(client.wait_for_turn(session, turn["id"], after_version=before["version"])["state"])
[listed] = client.turns(session)
show([listed["id"] == turn["id"], listed["origin"], listed["usage"]["outputTokens"]])
for answers in [{"database": "sqlite"}, None]:
    turn = client.send(session, "question")["turn"]
    [request] = client.permission_requests(session, state="pending")
    asked, content_hash = client.permission_content(session, request["id"])
    before = client.wait_for_turn(session, turn["id"])
    state = client.answer(session, request["id"], answers, content_hash)["state"]
    client.wait_for_turn(session, turn["id"], after_version=before["version"])
    show([asked["message"], state])
client.send(session, "edit redirected.txt written")
[request] = client.permission_requests(session, state="pending")
_, content_hash = client.permission_content(session, request["id"])
decided = client.decide(session, request["id"], "reject", content_hash, message="say Another file.")
show([decided["state"], client.wait_for_turn(session, decided["turn"]["id"])["state"]])
`;
    const values = await runPython(script, { ...env, SESSION });
    expect(values[0]).toEqual(['ready', 'grt_']);
    expect(values[1]).toEqual(['completed', 'ended']);
    expect(values[2]).toBe('say ready');
    expect(values[3]).toEqual(['requires_action', 'Edit approved.txt']);
    expect(values.slice(4, 8)).toEqual([[409, 'conflict'], 'allowed', 'completed', [true, 'message', 7]]);
    expect(values.slice(8)).toEqual([
      ['Which database shall I use?', 'allowed'],
      ['Which database shall I use?', 'rejected'],
      ['rejected', 'completed'],
    ]);
    expect(fixture.hasFile('approved.txt')).toBe(true);
  });

  it('runs short and long commands without a shell, with their exit codes and output', async () => {
    const script = `
machine = os.environ["MACHINE"]
result = client.invoke(machine, ["printf", "%s", "$HOME; touch x"])
show([result["exitCode"], result["stdout"]])
run = client.run(machine, ["sh", "-c", "head -c 300000 /dev/zero; echo oops >&2; exit 7"])
show([run.exit_code, len(run.stdout), run.stderr.decode(), run.truncated, run.invocation["state"]])
show(client.run(machine, ["sleep", "60"], timeout=0.3).invocation["state"])
started = client.start_invocation(machine, ["sleep", "60"])
show(client.cancel_invocation(machine, started["id"])["state"])
try:
    client.invoke(machine, ["no-such-command"])
except DeviceError as error:
    show([error.status, error.code, error.outcome, error.device_code, error.request_id.startswith("req_")])
    show(str(error).replace(error.request_id, "ID").replace(error.device_message, "MESSAGE"))
try:
    client.invoke(machine, "echo hello")
except ValueError as error:
    show("ValueError")
`;
    expect(await runPython(script, env)).toEqual([
      [0, '$HOME; touch x'],
      [7, 300_000, 'oops\n', false, 'completed'],
      'timed_out',
      'cancelled',
      [502, 'device_error', 'answered', 'command_not_found', true],
      '502 device_error: command_not_found: MESSAGE (ID)',
      'ValueError',
    ]);
  });

  it('cancels a command when it is interrupted while it waits', async () => {
    const script = `
wait = client.wait_for_invocation
def show_and_wait(*arguments, **options):
    show("waiting")
    return wait(*arguments, **options)
client.wait_for_invocation = show_and_wait
client.run(os.environ["MACHINE"], ["sleep", "61"])
`;
    const python = new PythonProcess(script, env);
    const listOpen = () => fixture.list(`/machines/${fixture.machine.id}/invocations?state=running`);
    await waitFor(async () => expect(await listOpen()).toHaveLength(1), 20_000);
    await python.waitForValues((values) => expect(values).toEqual(['waiting']));
    const { stderr } = await python.stop('SIGINT');
    expect(stderr).toContain('KeyboardInterrupt');
    await waitFor(async () => expect(await listOpen()).toEqual([]));
  });
});
