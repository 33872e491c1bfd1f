/**
 * Like `it.each`, for cases that wait rather than compute: the first test starts all of them, and each test awaits its
 * own. Hooks for each test don't separate them, so a case creates what it changes.
 */
export function itTogether<Case extends readonly [string, ...unknown[]]>(
  cases: readonly Case[],
  name: string,
  run: (...values: Case) => Promise<void>,
): void {
  let outcomes: Promise<PromiseSettledResult<void>[]> | undefined;
  it.each(cases.map(([title], index) => [title, index] as const))(name, async (_, index) => {
    outcomes ??= Promise.allSettled(cases.map((values) => run(...values)));
    const outcome = (await outcomes)[index]!;
    if (outcome.status === 'rejected') throw outcome.reason;
  });
}
