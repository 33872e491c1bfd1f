import { setImmediate as nextIteration } from 'node:timers/promises';
import { AsyncVariable } from './async-variable';

describe('AsyncVariable', () => {
  const color = new AsyncVariable<string>();
  const size = new AsyncVariable<number>();

  it('has a value in all that the function starts, and only there', async () => {
    const read = async () => {
      await nextIteration();
      return color.getValue();
    };
    const [red, blue, none] = await Promise.all([color.runWith('red', read), color.runWith('blue', read), read()]);
    expect([red, blue, none]).toEqual(['red', 'blue', undefined]);
  });

  it('keeps its value while others change', () => {
    const seen = color.runWith('red', () =>
      size.runWith(1, () => {
        const inner = size.runWith(2, () => [color.getValue(), size.getValue()]);
        return [inner, [color.getValue(), size.getValue()]];
      }),
    );
    expect(seen).toEqual([
      ['red', 2],
      ['red', 1],
    ]);
  });

  it('has no value where it is taken away, while others keep theirs', () => {
    const seen = size.runWith(1, () =>
      color.runWith('red', () => color.runWith(undefined, () => [color.getValue(), size.getValue()])),
    );
    expect(seen).toEqual([undefined, 1]);
  });
});
