import { UsageError } from '../errors.ts';

const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Arguments and options of a call. The names in `args` are those of the specification. */
export class CommandInput {
  readonly #args: ReadonlyMap<string, string>;
  readonly #options: ReadonlyMap<string, readonly (string | true)[]>;
  /** What follows `--` in a command that has a rest. */
  readonly rest: readonly string[];

  constructor(
    args: ReadonlyMap<string, string>,
    options: ReadonlyMap<string, readonly (string | true)[]>,
    rest: readonly string[],
  ) {
    this.#args = args;
    this.#options = options;
    this.rest = rest;
  }

  /** Returns an argument that the specification requires. */
  getArgument(name: string): string {
    return this.#args.get(name) ?? '';
  }

  findArgument(name: string): string | undefined {
    return this.#args.get(name);
  }

  hasFlag(name: string): boolean {
    return this.#options.has(name);
  }

  /** Returns the value of an option, the last one if it is repeated. */
  findOption(name: string): string | undefined {
    const value = this.#options.get(name)?.at(-1);
    return typeof value === 'string' ? value : undefined;
  }

  listOption(name: string): string[] {
    return (this.#options.get(name) ?? []).filter((value) => typeof value === 'string');
  }

  /** Splits the values of a repeatable option at commas. */
  listNames(name: string): string[] {
    return this.listOption(name)
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter(Boolean);
  }

  /** Parses `45s`, `30m`, `12h` or `7d`. */
  findDurationMs(name: string): number | undefined {
    const text = this.findOption(name);
    if (text === undefined) return undefined;
    const [, count = '', unit = ''] = /^(\d{1,6})(s|m|h|d)$/.exec(text) ?? [];
    const ms = Number(count) * (UNIT_MS[unit] ?? 0);
    if (ms <= 0) throw new UsageError(`--${name} takes a duration such as 45s, 30m or 2h.`);
    return ms;
  }

  /** @param max inclusive */
  findWholeNumber(name: string, max = 1_000_000): number | undefined {
    const text = this.findOption(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text) || Number(text) > max || Number(text) < 1)
      throw new UsageError(`--${name} takes a whole number from 1 to ${max}.`);
    return Number(text);
  }
}
