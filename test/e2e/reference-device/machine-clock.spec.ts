import { ApprovalFixture } from '../../support/approval-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import { itTogether } from '../../support/it-together';
import { createShiftedClockEnvironment } from '../../support/shifted-clock';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('a machine whose clock is one hour off', () => {
  let fixture: ApprovalFixture;

  beforeAll(async () => (fixture = await ApprovalFixture.start()));
  afterAll(() => fixture?.stop());

  const startSession = async (shiftMs: number, ...args: string[]) => {
    const machine = await fixture.startMachineWith({ args, env: createShiftedClockEnvironment(shiftMs) });
    return fixture.startSession(machine);
  };
  /** Far from the shift, and longer than any delay of a busy computer. */
  const isNear = (time: number, serviceTime: number): boolean => Math.abs(time - serviceTime) < HOUR_MS / 4;

  const SHIFTS: [string, number][] = [
    ['ahead', HOUR_MS],
    ['behind', -HOUR_MS],
  ];

  const gives = "%s: gives a request its whole time in the service's time, and executes the decision";
  itTogether(SHIFTS, gives, async (name, shiftMs) => {
    const sessionId = await startSession(shiftMs);
    const request = await fixture.askToWrite(sessionId, `allowed-${name}.txt`);
    const { createdAt, expiresAt } = await fixture.get(request.path);
    expect(isNear(expiresAt - 10 * MINUTE_MS, createdAt)).toBe(true);
    const decided = expectStatus(await fixture.decide(request, { decision: 'allow' }), 200);
    expect(decided.result).toEqual({ state: 'allowed', optionId: 'o1' });
    await fixture.waitForTurn(sessionId, request.turnId, 'completed');
    expect(fixture.hasFile(`allowed-${name}.txt`)).toBe(true);
    const turn = await fixture.get(`/sessions/${sessionId}/turns/${request.turnId}`);
    for (const time of [turn.startedAt, turn.endedAt]) expect(isNear(time, turn.createdAt)).toBe(true);
  });

  itTogether(SHIFTS, '%s: rejects a request that nobody decides in time', async (name, shiftMs) => {
    const sessionId = await startSession(shiftMs, '--permission-timeout', '5s');
    const request = await fixture.askToWrite(sessionId, `expired-${name}.txt`);
    await fixture.waitForTurn(sessionId, request.turnId, 'completed', 30_000);
    expect(await fixture.get(request.path)).toMatchObject({ state: 'expired', decidedBy: null });
    expect(await fixture.decide(request, { decision: 'allow' })).toMatchObject({
      status: 409,
      body: { code: 'permission_not_pending' },
    });
    expect(fixture.hasFile(`expired-${name}.txt`)).toBe(false);
  });
});
