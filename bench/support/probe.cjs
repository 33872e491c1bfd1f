/** Loaded into every measured process, the service's and its peer's alike: what it has used, asked over IPC. */
process.on('message', (message) => {
  if (message !== 'usage') return;
  // Only what is still reachable counts as held; twice, because finalizers free more after the first.
  globalThis.gc?.();
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ usage: { cpuUs: user + system, heldBytes: heapUsed + external, rssBytes: rss } });
});
// Whatever ends the bench ends what it started.
process.on('disconnect', () => process.exit(0));
