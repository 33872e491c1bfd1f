/** What one unit of something costs: a plain number in that unit, and how it was found. */
export interface Figure {
  value: number;
  unit: string;
  how: string;
}

/** The constants of docs/scaling.md, by key. */
export class Figures {
  readonly all = new Map<string, Figure>();

  add(key: string, value: number, unit: string, how: string): void {
    if (!Number.isFinite(value)) throw new Error(`${key} is ${value}`);
    this.all.set(key, { value: threeOrMore(value), unit, how });
  }

  valueOf(key: string): number {
    const figure = this.all.get(key);
    if (!figure) throw new Error(`${key} is not measured yet`);
    return figure.value;
  }
}

/** No digit that the measurement does not carry: three that count, whole numbers from a hundred on. */
function threeOrMore(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
