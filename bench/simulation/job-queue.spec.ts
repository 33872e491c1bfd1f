import { JobQueue } from './job-queue';

it('gives jobs back in their order, over any number of pushes and takes', () => {
  const queue = new JobQueue();
  let pushed = 0;
  let taken = 0;
  for (let round = 0; round < 200; round++) {
    for (let n = 0; n < round; n++) queue.push(pushed, ~pushed, 2 * pushed, pushed++);
    for (let n = 0; n < round - 1; n++) {
      expect(queue.take()).toBe(true);
      expect([queue.a, queue.b, queue.c, queue.d]).toEqual([taken, ~taken, 2 * taken, taken]);
      taken += 1;
    }
  }
  expect(queue.size).toBe(pushed - taken);
  queue.clear();
  expect(queue.take()).toBe(false);
});
