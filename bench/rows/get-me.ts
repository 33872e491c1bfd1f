import { expectStatus } from '../../test/support/device/foreign-device';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchProcess } from '../support/bench-process';
import { LoadGenerator } from '../support/load-generator';
import { BenchFixture } from '../support/bench-fixture';
import { createReadMeasurement, warmUpMeasurements } from '../support/read-measurement';

const CONNECTIONS = 32;

export const getMeRow: BenchmarkRow = {
  name: 'get-me',
  figure: `GET /me, ${CONNECTIONS} connections`,
  against: 'a bare Nest + Express handler that returns the same bytes',
  unit: '/s',
  ratioGoal: { atLeast: 0.6 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const answer: unknown = expectStatus(
        await benchFixture.firstInstance.http.get('/external/v1/me', benchFixture.token),
        200,
      );
      const bare = benchCleanup.add(BenchProcess.start('bench/peers/bare-nest.ts', { ANSWER: JSON.stringify(answer) }));
      const bareUrl = { url: `http://127.0.0.1:${await bare.waitForMember<number>('port')}` };
      const readOptions = {
        loadGenerator: benchCleanup.add(new LoadGenerator()),
        connections: CONNECTIONS,
        seconds: 1,
      };
      const measured = createReadMeasurement(
        readOptions,
        benchFixture.firstInstance,
        '/external/v1/me',
        benchFixture.token,
      );
      const peer = createReadMeasurement(readOptions, bareUrl, '/me', benchFixture.token);
      await warmUpMeasurements(6, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
