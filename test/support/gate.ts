/** Returns a function whose promises resolve once it has been called this often. */
export function createGate(count: number): () => Promise<void> {
  let calls = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return () => {
    calls += 1;
    if (calls === count) open();
    return opened;
  };
}
