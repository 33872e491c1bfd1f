import { Backoff } from '../../src/reference-device/machine/backoff';
import { backoffMs } from './backoff';
import { optionsOf } from './options';

it("is the reference device's rule", () => {
  const drawn = [0, 0.25, 0.999, 0.5, 0.1, 0.9, 0.3, 0.7, 0.6, 0];
  const real = new Backoff();
  const random = jest.spyOn(Math, 'random');
  for (const [attempt, value] of drawn.entries()) {
    random.mockReturnValueOnce(value);
    expect(backoffMs(attempt, optionsOf(), { next: () => value })).toBeCloseTo(real.nextMs(), 9);
  }
  random.mockRestore();
});
