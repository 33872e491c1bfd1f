import { Turnstile, TurnstileFullError } from './turnstile';

/** Work that ends when it is told to. */
function held() {
  let finish: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (finish = resolve));
  return { work: () => ended, finish };
}

const turn = () => new Promise(setImmediate);

describe('Turnstile', () => {
  it('lets so many through at a time, in the order in which they came', async () => {
    const turnstile = new Turnstile(2);
    const begun: number[] = [];
    const works = Array.from({ length: 5 }, () => held());
    const passes = works.map(({ work }, n) => turnstile.pass(() => (begun.push(n), work())));
    await turn();
    expect(begun).toEqual([0, 1]);
    works[1]!.finish();
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    for (const { finish } of works) finish();
    await Promise.all(passes);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('gives the place of work that fails to the next one', async () => {
    const turnstile = new Turnstile(1);
    const failing = turnstile.pass(() => Promise.reject(new Error('broken')));
    const next = turnstile.pass(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
  });

  it('refuses at once whoever finds no room to wait in', async () => {
    const turnstile = new Turnstile(1, 1);
    const { work, finish } = held();
    const first = turnstile.pass(work);
    const second = turnstile.pass(() => Promise.resolve('second'));
    await expect(turnstile.pass(work)).rejects.toThrow(TurnstileFullError);
    finish();
    await first;
    expect(await second).toBe('second');
    expect(await turnstile.pass(() => Promise.resolve('later'))).toBe('later');
  });
});
