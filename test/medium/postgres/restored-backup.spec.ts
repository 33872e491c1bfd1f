import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../../support/dependencies';
import { EventStreamClient } from '../../support/event-stream-client';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { BUILD_FOLDER } from '../../support/ensure-service-built';
import { findFreePort } from '../../support/find-free-port';
import { MachineProcess } from '../../support/machine-process';
import { createMigratedDatabase, createTestDatabase, type TestDatabase } from '../../support/postgres';
import { expectProblem } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { ServiceProcess } from '../../support/service-process';
import { createTempFolder } from '../../support/temp-folder';
import { runPostgresProgram } from '../../support/temporary-postgres';
import { waitFor } from '../../support/wait-for';
import { LOOPBACK_WEBHOOKS_ENV } from '../../support/webhooks/webhook-fixture';
import { acceptRequest, respondWithStatus, WebhookReceiver } from '../../support/webhooks/webhook-receiver';

const TEST_AGENT = join(BUILD_FOLDER, 'clients', 'device', 'src', 'agent', 'test-agent', 'main.js');
const SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'machines:read',
  'machines:invoke',
  'webhooks:manage',
];
/** Longer than a dump takes, so that the message is still pending in it. */
const QUEUED_DELAY_MS = 8_000;

/** What docs/runbooks/restore.md says about devices and callers that are ahead of the backup. */
describeWith('PostgreSQL', 'pg_ctl')('a service whose database is restored from a backup', () => {
  const databases: TestDatabase[] = [];
  const folder = createTempFolder();
  let service: ServiceProcess;
  let ada: ForeignAccountDevice;
  let token: string;
  let machine: MachineProcess;
  let laterMachine: MachineProcess;
  let receiver: WebhookReceiver;
  let sessionId: string;
  let stream: EventStreamClient;
  let laterToken: string;
  let settledTurnId: string;
  let laterTurnId: string;
  let lostMessage: { id: string; seq: number };
  let laterSessionId: string;
  let queuedSession: QueuedSession;
  let queuedMessageId: string;
  let messageCallsBefore: number;
  let invocationId: string;
  let seqOfBackup: number;
  let deliveriesBefore: number;

  const post = async (path: string, body: object, status = 200) =>
    expectStatus(await service.http.post(`/external/v1${path}`, token, body), status);
  const get = async (path: string) => expectStatus(await service.http.get(`/external/v1${path}`, token), 200).data;
  const listMessages = () => get(`/sessions/${sessionId}/messages?order=asc`) as Promise<any[]>;
  const sendMessage = async (content: string, waitMs = 0) =>
    (await post(`/sessions/${sessionId}/messages`, { content, waitMs })).result;
  const waitForTurn = (id: string, state: string) =>
    waitFor(async () => expect(await get(`/sessions/${sessionId}/turns/${id}`)).toMatchObject({ state }), 40_000);
  const waitForInvocation = (state: string) =>
    waitFor(async () => {
      expect(await get(`/machines/${machine.id}/invocations/${invocationId}`)).toMatchObject({ state });
    }, 10_000);
  /** Lets the agent, and the command, continue that wait for this file. */
  const releaseAgent = (name: string) => writeFileSync(join(folder, name), '');
  /** Appends a line to the file of the test, once for all calls with the same key that the service knows. */
  const invokeWithKey = async () => {
    const body = { command: 'sh', args: ['-c', 'echo ran >> runs'] };
    const options = { headers: { 'Idempotency-Key': 'after-the-backup' } };
    return expectStatus(
      await service.http.post(`/external/v1/machines/${machine.id}/invoke`, token, body, options),
      200,
    );
  };
  const countRuns = () => readFileSync(join(folder, 'runs'), 'utf8').trim().split('\n').length;
  const countMessageCalls = () =>
    machine.events.filter((event) => event.event === 'call' && event.method === 'session.message').length;
  const getDeliveryIds = () => receiver.received.map(({ headers }) => headers['webhook-id']!);

  async function startService(database: TestDatabase, port: number): Promise<void> {
    const env = { PUBLIC_URL: `http://127.0.0.1:${port}`, WEBHOOK_RETRY_SCHEDULE: '0,1,2,4,8,16,32' };
    service = await ServiceProcess.start({ ...database.env, ...LOOPBACK_WEBHOOKS_ENV, ...env }, { port });
  }

  beforeAll(async () => {
    databases.push(await createMigratedDatabase());
    await startService(databases[0]!, await findFreePort());
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(SCOPES));
    receiver = await WebhookReceiver.start(respondWithStatus(503));
    const agent = `test='${process.execPath}' '${TEST_AGENT}'`;
    const args = ['--agent', agent, '--cwd', folder];
    machine = await MachineProcess.start(service.http.url, ada, { args });
    const started = (await post(`/machines/${machine.id}/sessions`, { content: 'say Before.' })).result;
    sessionId = started.sessionId;
    await waitForTurn(started.turn.id, 'completed');
    const { result } = await post(`/machines/${machine.id}/sessions`, {});
    queuedSession = new QueuedSession(service.http, token, result.sessionId);
    // Work that runs at the time of the backup.
    settledTurnId = (await sendMessage('say One.\nwait-for one')).turn.id;
    await waitForTurn(settledTurnId, 'running');
    const command = ['-c', 'while [ ! -e one ]; do sleep 0.1; done'];
    ({ id: invocationId } = (
      await post(`/machines/${machine.id}/invocations`, { command: 'sh', args: command }, 202)
    ).data);
    await post('/webhooks', { url: receiver.url, events: ['session.created'] }, 201);
    await ada.createSession(ada);
    await receiver.waitForRequests(1);
    await restoreBackup();
  }, 120_000);
  afterAll(async () => {
    await Promise.all([machine?.stop(), laterMachine?.stop(), stream?.close(), receiver?.stop()]);
    await service?.stop('SIGKILL');
    for (const database of databases) await database.dropDatabase();
  });

  /** Runs what happens after the backup, loses the service, and restores the backup. */
  async function restoreBackup(): Promise<void> {
    const dump = join(folder, 'dump');
    const notBefore = Date.now() + QUEUED_DELAY_MS;
    queuedMessageId = await queuedSession.queueMessage('say Queued.', { notBefore });
    await runPostgresProgram('pg_dump', ['--format=custom', `--file=${dump}`, databases[0]!.url]);
    seqOfBackup = (await listMessages()).at(-1).seq;
    expect(await queuedSession.getMessage(queuedMessageId)).toMatchObject({ state: 'queued' });

    receiver.handler = acceptRequest;
    releaseAgent('one');
    await waitForTurn(settledTurnId, 'completed');
    await waitForInvocation('completed');
    stream = await EventStreamClient.open(`${service.http.url}/external/v1/events`, token);
    laterTurnId = (await sendMessage('say Two.\nwait-for two\nsay Three.')).turn.id;
    await waitForTurn(laterTurnId, 'running');
    await waitFor(() => expect(stream.events.length).toBeGreaterThan(0), 10_000);
    const later = await post(`/machines/${machine.id}/sessions`, { content: 'say Later.\nwait-for two\nsay Lost.' });
    laterSessionId = later.result.sessionId;
    await invokeWithKey();
    await invokeWithKey();
    expect(countRuns()).toBe(1);
    await queuedSession.waitForState(queuedMessageId, 'delivered');
    lostMessage = (await listMessages()).at(-1);
    ({ token: laterToken } = await ada.createToken(SCOPES));
    laterMachine = await MachineProcess.start(service.http.url, ada);
    await waitFor(() => expect(getDeliveryIds().length).toBeGreaterThan(new Set(getDeliveryIds()).size), 10_000);

    await service.stop('SIGKILL');
    deliveriesBefore = getDeliveryIds().length;
    messageCallsBefore = countMessageCalls();
    releaseAgent('two');
    const pending = expect.objectContaining({ event: 'history', waiting: 2 });
    await waitFor(() => expect(machine.events).toContainEqual(pending), 20_000);
    databases.push(await createTestDatabase());
    await runPostgresProgram('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${databases[1]!.url}`, dump]);
    await databases[1]!.query('ANALYZE');
    await startService(databases[1]!, service.port);
  }

  it('gets what its devices had not sent yet, of turns that it has lost as well', async () => {
    await waitForTurn(laterTurnId, 'completed');
    const messages = (await listMessages()).filter(({ seq }) => seq > seqOfBackup);
    expect(messages).toMatchObject([{ turnId: laterTurnId, role: 'assistant', seq: seqOfBackup + 1 }]);
  });

  it('loses a session from after the backup, and its device reports the messages that it keeps aside', async () => {
    const path = `/external/v1/sessions/${laterSessionId}`;
    expectProblem(await service.http.get(path, token), 404, 'not_found');
    const getRejections = (kind: string) =>
      machine.events.flatMap((event) =>
        event.event === kind && 'problem' in event && event.problem.includes('rejected') ? [event.problem] : [],
      );
    await waitFor(() => expect(getRejections('agent').length).toBeGreaterThan(0), 20_000);
    expect(getRejections('agent')).toEqual([expect.stringMatching(/rejected a state permanently: There is no such/)]);
    expect(getRejections('history')).toEqual([
      expect.stringMatching(/rejected a message: There is no such session.* is kept in .*\.rejected\//),
    ]);
  });

  it('runs a call again whose Idempotency-Key was used after the backup', async () => {
    await invokeWithKey();
    expect(countRuns()).toBe(2);
  });

  it('delivers a queued message again that was pending in the backup', async () => {
    await queuedSession.via({ http: service.http }).waitForState(queuedMessageId, 'delivered');
    const listReplies = () => get(`/sessions/${queuedSession.id}/messages?role=assistant`) as Promise<any[]>;
    await waitFor(async () => expect(await listReplies()).toHaveLength(1), 20_000);
    expect(countMessageCalls()).toBe(messageCallsBefore + 1);
  });

  it('learns the end of what had ended since the backup', async () => {
    await waitForTurn(settledTurnId, 'completed');
    await waitForInvocation('completed');
    expect(await get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'idle' });
    const { result } = await post(`/sessions/${sessionId}/messages`, { content: 'say Four.' });
    expect(result).toMatchObject({ reply: 'Four.', turn: { state: 'completed' } });
  });

  it('has no message, token and device from after the backup, and says so', async () => {
    const path = `/external/v1/sessions/${sessionId}/messages`;
    expect((await listMessages()).map(({ id }) => id)).not.toContain(lostMessage.id);
    expectProblem(await service.http.get(`${path}/${lostMessage.id}/content`, token), 404, 'not_found');
    expectProblem(await service.http.get('/external/v1/me', laterToken), 401, 'invalid_token');
    expect(await laterMachine.errorOutput).toMatch(/The service does not know this device/);
  });

  it('gives a seq again, which a client that asks after it misses', async () => {
    const messages = (await get(`/sessions/${sessionId}/messages?afterSeq=${lostMessage.seq}&order=asc`)) as any[];
    expect(lostMessage.seq).toBeGreaterThan(seqOfBackup);
    expect(messages.map(({ seq }) => seq)).not.toContain(seqOfBackup + 1);
    expect((await listMessages()).map(({ seq }) => seq)).toContain(seqOfBackup + 1);
  });

  it('refuses the position of an event stream from after the backup', async () => {
    const { lastEventId } = stream;
    const reopened = await EventStreamClient.open(`${service.http.url}/external/v1/events`, token, { lastEventId });
    expect(reopened.response.status).toBe(410);
  });

  it('repeats a delivery that was pending in the backup, under the same id', async () => {
    await waitFor(() => expect(getDeliveryIds().length).toBeGreaterThan(deliveriesBefore), 15_000);
    expect(getDeliveryIds().at(-1)).toBe(getDeliveryIds()[0]);
  });
});
