import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');
export const CONSTANTS_FILE = join(ROOT, 'docs', 'figures', 'constants.json');

export interface Constant {
  value: number;
  unit: string;
  how: string;
}

/** What `npm run bench:constants` measured; each is known by its key. */
export class Constants {
  private constructor(
    readonly all: Readonly<Record<string, Constant>>,
    readonly measuredAt: string,
  ) {}

  static of(all: Record<string, Constant>, measuredAt = ''): Constants {
    return new Constants(all, measuredAt);
  }

  static read(file = CONSTANTS_FILE): Constants {
    const { constants, measuredAt } = JSON.parse(readFileSync(file, 'utf8')) as {
      constants: Record<string, Constant>;
      measuredAt: string;
    };
    return new Constants(constants, measuredAt);
  }

  /** @throws Error where it was not measured */
  value(key: string): number {
    const constant = this.all[key];
    if (!constant) throw new Error(`docs/figures/constants.json has no ${key}`);
    return constant.value;
  }

  /** Of what these are, however they are written. */
  get digest(): string {
    const values = Object.entries(this.all).map(([key, { value }]) => `${key}=${value}`);
    return createHash('sha256').update(values.sort().join('\n')).digest('hex').slice(0, 16);
  }
}
