import { Registry } from 'prom-client';
import type { Config } from '../config';
import { DatabaseGauges } from './database-gauges';

interface Values {
  rows: number;
}

class TestGauges extends DatabaseGauges<Values> {
  measure: () => Promise<Values | null> = () => Promise.resolve({ rows: 3 });

  protected measureValues(): Promise<Values | null> {
    return this.measure();
  }
}

describe('gauges of the database', () => {
  let registry: Registry;
  let gauges: TestGauges;

  beforeEach(() => {
    registry = new Registry();
    gauges = new TestGauges('test gauges', [['rows', 'rows', 'Rows']], { metricsPort: 0 } as Config, registry);
  });

  const readValues = async () => (await registry.getSingleMetric('rows')!.get()).values.map(({ value }) => value);

  it('have no value before the first measurement, and then the measured one', async () => {
    expect(await readValues()).toEqual([]);
    await gauges.updateValues();
    expect(await readValues()).toEqual([3]);
  });

  it.each<[string, () => Promise<null>]>([
    ['fails', () => Promise.reject(new Error('database unavailable'))],
    ['is left to another instance', () => Promise.resolve(null)],
  ])('have no value any more when a measurement %s', async (_, measure) => {
    await gauges.updateValues();
    gauges.measure = measure;
    await gauges.updateValues().catch(() => undefined);
    expect(await readValues()).toEqual([]);
  });
});
