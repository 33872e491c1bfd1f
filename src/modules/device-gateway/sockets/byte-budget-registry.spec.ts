import { ByteBudgetRegistry, INITIAL_BUDGET_BYTES, MAX_BUDGET_BYTES, MAX_FRAME_BYTES } from './byte-budget-registry';

describe('the byte budget of a device', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('covers two frames that no request explains', () => {
    const budget = new ByteBudgetRegistry().acquireBudget('dev_1');
    expect(budget.consumeBytes(INITIAL_BUDGET_BYTES)).toBe(true);
    expect(budget.consumeBytes(1)).toBe(false);
  });

  it('covers the answer to each request', () => {
    const budget = new ByteBudgetRegistry().acquireBudget('dev_1');
    expect(budget.consumeBytes(INITIAL_BUDGET_BYTES)).toBe(true);
    for (let n = 0; n < 100; n++) {
      budget.addAnswerBytes();
      expect(budget.consumeBytes(MAX_FRAME_BYTES)).toBe(true);
    }
    expect(budget.consumeBytes(1)).toBe(false);
  });

  it('covers the answers to sixteen calls and four stops at once, and no more', () => {
    const budget = new ByteBudgetRegistry().acquireBudget('dev_1');
    for (let n = 0; n < 100; n++) budget.addAnswerBytes();
    for (let n = 0; n < 20; n++) expect(budget.consumeBytes(MAX_FRAME_BYTES)).toBe(true);
    expect(budget.consumeBytes(1)).toBe(false);
  });

  it('loses no answer to the refill', () => {
    const budget = new ByteBudgetRegistry().acquireBudget('dev_1');
    for (let n = 0; n < 100; n++) budget.addAnswerBytes();
    jest.advanceTimersByTime(60_000);
    expect(budget.consumeBytes(MAX_BUDGET_BYTES)).toBe(true);
  });

  it('refills by 64 KiB a second', () => {
    const budget = new ByteBudgetRegistry().acquireBudget('dev_1');
    budget.consumeBytes(INITIAL_BUDGET_BYTES);
    jest.advanceTimersByTime(2_000);
    expect(budget.consumeBytes(2 * 65_536)).toBe(true);
    expect(budget.consumeBytes(1)).toBe(false);
  });

  it('does not grow by bytes that are returned, although it is refilled meanwhile', () => {
    const budget = new ByteBudgetRegistry().acquireBudget('dev_1');
    for (let second = 0; second < 1_000; second++) {
      expect(budget.consumeBytes(1_048_576)).toBe(true);
      jest.advanceTimersByTime(1_000);
      budget.returnBytes(1_048_576);
    }
    expect(budget.consumeBytes(INITIAL_BUDGET_BYTES)).toBe(true);
    expect(budget.consumeBytes(1)).toBe(false);
  });

  it('is not refilled by a reconnect, and dropped once it is full', () => {
    const budgets = new ByteBudgetRegistry();
    budgets.acquireBudget('dev_1').consumeBytes(INITIAL_BUDGET_BYTES);
    budgets.releaseBudget('dev_1');
    expect(budgets.acquireBudget('dev_1').consumeBytes(1)).toBe(false);
    budgets.releaseBudget('dev_1');
    jest.advanceTimersByTime(130_000);
    expect(budgets.size).toBe(0);
  });
});
