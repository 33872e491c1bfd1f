import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../support/dependencies';
import { DeviceSession } from '../support/device/device-session';
import { TemporaryPostgres } from '../support/temporary-postgres';
import { waitFor } from '../support/wait-for';
import { Cluster } from './support/cluster';
import { ClusterFixture } from './support/cluster-fixture';
import { ReconnectingStream } from './support/reconnecting-stream';

const BETWEEN_MS = 2_000;
const AWAY_MS = 1_000;

describeWith('pg_ctl')('event streams over restarts of PostgreSQL and Redis', () => {
  let postgres: TemporaryPostgres;
  let cluster: Cluster;
  let fixture: ClusterFixture;
  let token: string;

  beforeAll(async () => {
    postgres = await TemporaryPostgres.createCluster();
    cluster = await Cluster.start({ instances: 2, redis: 'proxied', postgresUrl: postgres.url });
    fixture = await ClusterFixture.start(cluster);
    ({ token } = await fixture.ada.createToken(['sessions:read']));
  }, 120_000);
  afterAll(async () => {
    fixture?.close();
    await cluster?.stop();
    await postgres?.removeCluster();
  });

  it('send every acknowledged event once, through both instances', async () => {
    const session = await DeviceSession.createSession(fixture.ada);
    const clients = await Promise.all(
      cluster.instances.flatMap(({ url }) =>
        ['/external/v1/events', `/external/v1/sessions/${session.id}/events`].map((path) =>
          ReconnectingStream.open(url + path, token),
        ),
      ),
    );

    let isWriting = true;
    let storedCount = 0;
    const writeMessages = async () => {
      while (isWriting) {
        const message = session.encryptMessage(`m${storedCount}`);
        // The id makes a message that was stored without an answer be found again.
        const answer = await session.postMessages([message]).catch(() => null);
        if (answer && answer.status < 300) storedCount += 1;
        await sleep(50);
      }
    };
    const writing = writeMessages();
    await sleep(BETWEEN_MS);
    for (const mode of ['fast', 'immediate'] as const) {
      await postgres.stop(mode);
      await sleep(AWAY_MS);
      await postgres.start();
      await sleep(BETWEEN_MS);
    }
    await cluster.redis.cutConnections();
    await sleep(AWAY_MS);
    await cluster.redis.restoreConnections();
    await sleep(BETWEEN_MS);
    isWriting = false;
    await writing;

    expect(storedCount).toBeGreaterThan(20);
    const expected = Array.from({ length: storedCount }, (_, index) => index + 1);
    for (const client of clients) {
      await waitFor(() => expect(client.events.length).toBeGreaterThanOrEqual(storedCount), 30_000);
      expect(client.events.map(({ data }) => data.data.seq as number)).toEqual(expected);
      expect(new Set(client.events.map(({ data }) => data.id as string)).size).toBe(storedCount);
    }
    await Promise.all(clients.map((client) => client.close()));
  });
});
