import { Counter, Gauge, type Registry } from 'prom-client';

/** Adds a gauge whose value is read at each export. */
export function addGauge(registry: Registry, name: string, help: string, readValue: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(readValue());
    },
  });
}

/** Adds a counter whose value is read at each export. */
export function addCounter(registry: Registry, name: string, help: string, readValue: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(readValue());
    },
  });
}
