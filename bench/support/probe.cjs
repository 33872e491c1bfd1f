/** Loaded into every measured process, the service's and its peer's alike: what it has used, asked over IPC. */
process.on('message', (message) => {
  if (message === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send({ cpu: user + system });
  }
  if (message === 'memory') {
    // Only what is still reachable counts as held; twice, because finalizers free more after the first.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ memory: heapUsed + external });
  }
});
// Whatever ends the bench ends what it started.
process.on('disconnect', () => process.exit(0));
