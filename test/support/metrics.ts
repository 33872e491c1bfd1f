import { Registry } from 'prom-client';
import type { Service } from './service';

/**
 * Returns the value of an instance's metric, or 0 if it has counted nothing yet.
 * @param name its line without the value, such as
 *   `relay_calls_total{method="machine.invoke",status="200",outcome="answered"}`
 */
export async function readMetric(service: Service, name: string): Promise<number> {
  const text = await service.app.get(Registry, { strict: false }).metrics();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}
