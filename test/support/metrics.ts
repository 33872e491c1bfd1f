import { Registry } from 'prom-client';
import type { Service } from './service';

/**
 * Returns the values of an instance's metrics by their lines without the value, such as
 * `relay_calls_total{method="machine.invoke",status="200",outcome="answered"}`.
 */
export async function readMetrics(service: Service): Promise<Map<string, number>> {
  const text = await service.app.get(Registry, { strict: false }).metrics();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

/** Returns 0 for a metric that has counted nothing yet. */
export async function readMetric(service: Service, line: string): Promise<number> {
  return (await readMetrics(service)).get(line) ?? 0;
}
