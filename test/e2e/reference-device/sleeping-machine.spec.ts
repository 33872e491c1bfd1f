import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnState } from '@external-api/protocol';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { ApprovalFixture } from '../../support/approval-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import type { MachineProcess } from '../../support/machine-process';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;

describe('a machine that sleeps during a turn for longer than a device may be away', () => {
  let fixture: ApprovalFixture;
  let proxy: TcpProxy;
  let machine: MachineProcess;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start({ TURN_LOST_AFTER_SECONDS: '2' });
    proxy = await TcpProxy.start(Number(new URL(fixture.service.url).port));
    machine = await fixture.startMachineWith({ url: `http://127.0.0.1:${proxy.port}` });
    sessionId = await fixture.startSession(machine);
  });
  afterAll(async () => {
    await fixture?.stop();
    await proxy?.cutConnections();
  });

  const waitForState = (turnId: string, state: TurnState) => fixture.waitForTurn(sessionId, turnId, state, WITHIN_MS);

  async function sendMessage(content: string): Promise<string> {
    const answer = await fixture.post(`/sessions/${sessionId}/messages`, { content, waitMs: 0 });
    return expectStatus(answer, 200).result.turn.id;
  }

  /** The service notices at once that the machine is away, instead of after the silence of its socket. */
  async function fallAsleep(): Promise<void> {
    machine.fallAsleep();
    await proxy.cutConnections();
  }

  /** Resolves when the machine is connected again. */
  async function wakeUp(): Promise<void> {
    const countConnections = () => machine.events.filter(({ event }) => event === 'connected').length;
    const count = countConnections();
    await proxy.restoreTraffic();
    machine.wakeUp();
    await waitFor(() => expect(countConnections()).toBeGreaterThan(count), WITHIN_MS);
  }

  it('stores what the agent did meanwhile once, and reports how the turn has ended', async () => {
    const running = await sendMessage('say Before.\ntool 1\nwait-for asleep.txt\nsay After.\ntool 2\ncreate done.txt');
    const queued = await sendMessage('say Next.');
    const readRoles = (turnId: string) => fixture.readRoles(sessionId, turnId);
    await waitFor(async () => expect(await readRoles(running)).toEqual(['user', 'assistant', 'tool']), WITHIN_MS);
    await waitForState(queued, 'queued');
    await fallAsleep();
    await waitForState(running, 'lost');
    await waitForState(queued, 'lost');
    writeFileSync(join(fixture.folder, 'asleep.txt'), '');
    await waitFor(() => expect(fixture.hasFile('done.txt')).toBe(true), WITHIN_MS);
    await wakeUp();
    for (const turnId of [running, queued]) await waitForState(turnId, 'completed');
    expect(await readRoles(running)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(await readRoles(queued)).toEqual(['user', 'assistant']);
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'idle' });
  });

  it('waits on for a decision, which is executed after it has woken up', async () => {
    const request = await fixture.askToWrite(sessionId, 'allowed.txt');
    await fallAsleep();
    await waitForState(request.turnId, 'lost');
    await wakeUp();
    await waitForState(request.turnId, 'requires_action');
    expectStatus(await fixture.decide(request, { decision: 'allow' }), 200);
    await waitForState(request.turnId, 'completed');
    expect(fixture.hasFile('allowed.txt')).toBe(true);
  });
});
