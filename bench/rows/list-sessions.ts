import { ForeignAccountDevice } from '../../test/support/device/foreign-device';
import { insertManySessions } from '../../test/support/large-tables';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { LoadGenerator } from '../support/load-generator';
import { BenchFixture } from '../support/bench-fixture';
import { createReadMeasurement, warmUpMeasurements } from '../support/read-measurement';

const PATH = '/external/v1/sessions?limit=50';
const LARGE = 100_000;
const SMALL = 100;

export const listSessionsRow: BenchmarkRow = {
  name: 'list-sessions',
  figure: 'GET /sessions?limit=50, 100,000 sessions',
  against: 'the same page in an account of 100',
  unit: '/s',
  ratioGoal: { atLeast: 0.9 },
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const small = await ForeignAccountDevice.signUp(benchFixture.firstInstance.http);
      const { token } = await small.createToken(['sessions:read']);
      await insertManySessions(benchFixture, benchFixture.ada.accountId, LARGE);
      await insertManySessions(benchFixture, small.accountId, SMALL);
      await benchFixture.query('ANALYZE');
      const readOptions = {
        loadGenerator: benchCleanup.add(new LoadGenerator()),
        connections: 16,
        seconds: 1,
      };
      const measured = createReadMeasurement(readOptions, benchFixture.firstInstance, PATH, benchFixture.token);
      const peer = createReadMeasurement(readOptions, benchFixture.firstInstance, PATH, token);
      await warmUpMeasurements(4, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};
