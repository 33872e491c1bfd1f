import { Client } from 'pg';
import { Closing, type Row } from '../row';
import { Child } from '../support/child';
import { Scene } from '../support/scene';
import { warmUp } from '../support/throughput';
import { createWebhook, LOOPBACK } from '../support/webhooks';

export const outbox: Row = {
  name: 'outbox',
  figure: 'commits with an outbox row',
  against: 'without one',
  unit: '/s',
  goal: { atLeast: 0.8 },
  open: () => {
    const closing = new Closing();
    return closing.guard(async () => {
      const scene = closing.add(await Scene.start(1, LOOPBACK));
      // Paused, and the only process that would take the rows is stopped: what is measured is the commits.
      const hook = await createWebhook(scene, 'http://127.0.0.1:9/');
      await scene.query(`UPDATE webhooks SET state = 'paused' WHERE id = $1`, [hook]);
      await scene.first.stop();
      const commits = closing.add(
        Child.start('bench/support/commits-process.ts', {
          DATABASE_URL: scene.databaseUrl,
          ACCOUNT_ID: scene.ada.accountId,
        }),
      );
      await commits.next('connected');
      const measured = () => commits.ask<number>({ commit: 'told' }, 'rate');
      const peer = () => commits.ask<number>({ commit: 'untold' }, 'rate');
      await warmUp(3, measured, peer);
      await requireRows(scene.databaseUrl);
      return { measured, peer, close: closing.close };
    });
  },
};

/** The measured side writes what it is taken to write. */
async function requireRows(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM webhook_outbox');
  await client.end();
  if (rows[0]!.count === 0) throw new Error('no outbox row was written');
}
