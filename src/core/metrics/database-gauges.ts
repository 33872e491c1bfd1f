import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Gauge, type Registry } from 'prom-client';
import { MINUTE } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import type { Config } from '../config';

/**
 * Measures the database once a minute, if metrics are exported. The gauges describe the database, so that instances
 * agree on them: aggregate by `max`. An instance exports none while it cannot measure, instead of old values.
 */
export abstract class DatabaseGauges<Values extends object> implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly task: PeriodicTask;
  private values: Values | null = null;

  constructor(
    taskName: string,
    gauges: readonly [key: keyof Values, name: string, help: string][],
    private readonly config: Config,
    registry: Registry,
  ) {
    this.task = new PeriodicTask(taskName, MINUTE, () => this.updateValues());
    // Gauges without labels would start at 0, which would hide a value that nobody has measured.
    const readValues = () => this.values;
    for (const [key, name, help] of gauges) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.remove();
          const values = readValues();
          if (values) this.set(values[key] as number);
        },
      });
    }
  }

  onApplicationBootstrap(): void {
    if (this.config.metricsPort === null) return;
    this.task.start();
    this.task.trigger();
  }

  onApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async updateValues(): Promise<void> {
    this.values = await this.measureValues().catch((error: unknown) => {
      this.values = null;
      throw error;
    });
  }

  /** Returns null while another instance measures. */
  protected abstract measureValues(): Promise<Values | null>;
}
