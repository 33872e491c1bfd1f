import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ApprovalFixture } from '../../support/approval-fixture';
import { findTablesContaining, queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import type { MachineProcess } from '../../support/machine-process';
import { expectProblem } from '../../support/problems';
import { createTempFolder } from '../../support/temp-folder';
import { createTerminalSession } from '../../support/terminal-session';
import { waitFor } from '../../support/wait-for';

const TITLE = 'Words of a person at the terminal';

describe('a session of the terminal', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;
  let folder: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    folder = createTempFolder();
    const env = { TEST_AGENT_FOLDER: folder, TEST_AGENT_OPTIONS: 'orderly-replay' };
    const args = ['--agent-env', 'TEST_AGENT_FOLDER,TEST_AGENT_OPTIONS'];
    machine = await fixture.startMachineWith({ env, args });
  });
  afterAll(() => fixture?.stop());

  const list = async (query = '') => {
    const { http } = fixture.service;
    const response = await http.get(`/external/v1/machines/${machine.id}/agent-sessions${query}`, fixture.token);
    return expectStatus(response, 200).result.sessions;
  };
  const start = (body: object) => fixture.post(`/machines/${machine.id}/sessions`, body);
  const countEvents = async (sessionId: string) => {
    const sql = `SELECT count(*)::int AS count FROM event_log
      WHERE type = 'message.created' AND payload::jsonb->'data'->>'sessionId' = $1`;
    return (await queryDatabase<{ count: number }>(fixture.service, sql, [sessionId]))[0]!.count;
  };

  it('is listed with its title, which the service stores nowhere', async () => {
    createTerminalSession(folder, 'session-a', fixture.folder, [TITLE]);
    const [session] = await list();
    expect(session).toMatchObject({ agent: 'test', agentSessionId: 'session-a', title: TITLE, sessionId: null });
    expect(await findTablesContaining(fixture.service, TITLE)).toEqual([]);
  });

  it('goes on with its conversation as history, without turns and events', async () => {
    createTerminalSession(folder, 'session-b', fixture.folder, ['say one', 'say two']);
    const { result } = expectStatus(await start({ resume: 'session-b', content: 'memory', waitMs: 20_000 }), 200);
    const { sessionId, turn } = result;
    const messages = await waitFor(async () => {
      const stored = await fixture.get(`/sessions/${sessionId}/messages?order=asc`);
      expect(stored).toHaveLength(8);
      return stored as { role: string; turnId: string | null }[];
    });
    const past = ['user', 'assistant', 'tool', 'user', 'assistant', 'tool'];
    expect(messages.map(({ role, turnId }) => [role, turnId])).toEqual([
      ...past.map((role) => [role, null]),
      ['user', turn.id],
      ['assistant', turn.id],
    ]);
    expect(await fixture.get(`/sessions/${sessionId}/turns`)).toHaveLength(1);
    await waitFor(async () => expect(await countEvents(sessionId)).toBe(2));
    expect((await list()).find((each: any) => each.agentSessionId === 'session-b').sessionId).toBe(sessionId);
    const refused = expectProblem(await start({ resume: 'session-b' }), 502, 'device_error');
    expect(refused.deviceError).toMatchObject({ code: 'session_exists', sessionId });
  });

  it('goes on as a copy beside it', async () => {
    createTerminalSession(folder, 'session-c', fixture.folder, ['say one']);
    const { result } = expectStatus(await start({ resume: 'session-c', fork: true }), 200);
    expect(result).toMatchObject({ sessionId: expect.stringMatching(/^ses_/), turn: null, agentState: 'ready' });
    expect((await list()).find((each: any) => each.agentSessionId === 'session-c').sessionId).toBeNull();
  });

  it('is neither listed nor continued outside of the allowed folders', async () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    createTerminalSession(folder, 'session-d', outside, ['say one']);
    expect((await list()).map(({ agentSessionId }: any) => agentSessionId)).not.toContain('session-d');
    const refused = expectProblem(await start({ resume: 'session-d' }), 502, 'device_error');
    expect(refused.deviceError.code).toBe('cwd_not_allowed');
  });
});
