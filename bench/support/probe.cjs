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
/** Heap and external memory just after the last full collection that came by itself; 0 before there was one. */
let held = { collections: 0, bytes: 0 };
process.on('message', (message) => {
  if (message === 'watch-held') {
    const { constants, PerformanceObserver } = require('node:perf_hooks');
    new PerformanceObserver((list) => {
      if (!list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return;
      const { heapUsed, external } = process.memoryUsage();
      held = { collections: held.collections + 1, bytes: heapUsed + external };
    }).observe({ type: 'gc' });
    process.send({ watching: true });
  }
  if (message === 'held') process.send({ held });
});
// Whatever ends the bench ends what it started.
process.on('disconnect', () => process.exit(0));
