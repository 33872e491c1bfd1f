import { Client } from 'pg';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchProcess } from '../support/bench-process';
import { BenchFixture } from '../support/bench-fixture';
import { warmUpMeasurements } from '../support/read-measurement';
import { createBenchWebhook, LOOPBACK_DELIVERY_ENV } from '../support/webhook-endpoint';

export const outboxRow: BenchmarkRow = {
  name: 'outbox',
  figure: 'commits with an outbox row',
  against: 'without one',
  unit: '/s',
  ratioGoal: { atLeast: 0.8 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start(1, LOOPBACK_DELIVERY_ENV));
      // The webhook is paused and the only process with a fan-out is stopped, so that only the commits are measured.
      const hook = await createBenchWebhook(benchFixture, 'http://127.0.0.1:9/');
      await benchFixture.query(`UPDATE webhooks SET state = 'paused' WHERE id = $1`, [hook]);
      await benchFixture.firstInstance.stop();
      const commits = benchCleanup.add(
        BenchProcess.start('bench/support/commits-process.ts', {
          DATABASE_URL: benchFixture.databaseUrl,
          ACCOUNT_ID: benchFixture.ada.accountId,
        }),
      );
      await commits.waitForMember('connected');
      const measured = () => commits.sendRequest<number>({ commit: 'with-event' }, 'rate');
      const peer = () => commits.sendRequest<number>({ commit: 'without-event' }, 'rate');
      await warmUpMeasurements(3, measured, peer);
      await requireOutboxRows(benchFixture.databaseUrl);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** Throws if the measured side wrote no outbox rows. */
async function requireOutboxRows(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM webhook_outbox_batches');
  await client.end();
  if (rows[0]!.count === 0) throw new Error('no outbox row was written');
}
