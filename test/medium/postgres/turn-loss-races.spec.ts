import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../../src/common/clock';
import { createBackend } from '../../support/backend';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';

const TURN_LOST_AFTER_SECONDS = 4;
/** Longer than the time between two checks for losses, a quarter of the above, so that reports meet a check. */
const REPORTS_WITHIN_MS = 1_200;
const TURNS = 40;
const ROUNDS = 6;

/** Two instances look for losses, and a device reports, each with its own connections. */
describeWithServices('the loss of a turn and the report of its device at once', () => {
  it('end with the report, in either order, and versions only grow', async () => {
    const backend = await createBackend('services');
    const env = { TURN_LOST_AFTER_SECONDS: String(TURN_LOST_AFTER_SECONDS), RATE_LIMIT_METADATA: '100000' };
    const first = await Service.start(env, backend);
    const second = await Service.start(env, { env: backend.env, dispose: () => Promise.resolve() });
    try {
      const ada = await ForeignAccountDevice.signUp(first.http);
      const { token } = await ada.createToken(['sessions:read']);
      const read = async ({ path }: ReportedTurn) => expectStatus(await second.http.get(path, token), 200).data;
      const turns: ReportedTurn[] = [];
      const lastRecords: any[] = [];
      for (let n = 0; n < TURNS; n++) {
        const turn = new ReportedTurn(ada, (await ada.createSession(ada)).id);
        lastRecords.push(expectStatus(await turn.report('running'), 201).data);
        turns.push(turn);
      }
      // No turn is lost soon after the start.
      await sleep((TURN_LOST_AFTER_SECONDS + 1) * SECOND);
      const changes: Record<number, number> = {};
      for (let round = 1; round <= ROUNDS; round++) {
        const state = round === ROUNDS ? 'completed' : round % 2 ? 'requires_action' : 'running';
        for (const service of [first, second]) service.advanceClock((TURN_LOST_AFTER_SECONDS + 1) * SECOND);
        const startedAt = performance.now();
        await Promise.all(
          turns.map(async (turn, n) => {
            await sleep(Math.random() * REPORTS_WITHIN_MS);
            const record = expectStatus(await turn.report(state), 200).data;
            expect(record.state).toBe(state);
            const added = record.version - lastRecords[n].version;
            changes[added] = (changes[added] ?? 0) + 1;
            lastRecords[n] = record;
          }),
        );
        // Losses that were about to be recorded are found out of date.
        await sleep(1_000);
        const records = await Promise.all(turns.map(read));
        const isSlow = performance.now() - startedAt >= TURN_LOST_AFTER_SECONDS * SECOND;
        for (const [n, record] of records.entries()) {
          // In a round that was slow, a turn may be lost again after its report, as it should.
          const isLostAgain = isSlow && record.state === 'lost' && record.version === lastRecords[n].version + 1;
          if (isLostAgain) lastRecords[n] = record;
          expect(record).toEqual(lastRecords[n]);
        }
      }
      // 1: the report was first, or there was no loss. 2: the loss was first, and only one instance recorded it.
      expect(Object.keys(changes)).toEqual(['1', '2']);
    } finally {
      await second.stop();
      await first.stop();
    }
  });
});
