/** Reports resource usage over IPC. Every measured process loads it, the service and its peer alike. */
process.on('message', (message) => {
  if (message === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send({ cpu: user + system });
  }
  if (message === 'memory') {
    // Collects twice, because finalizers free more memory after the first collection.
    globalThis.gc();
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send({ memory: heapUsed + external });
  }
});
/** Heap and external memory after the last full collection that wasn't forced; 0 before the first one. */
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
/** Delay of the event loop since `watch-delay`. */
let delay;
process.on('message', (message) => {
  if (message === 'watch-delay') {
    const { monitorEventLoopDelay } = require('node:perf_hooks');
    delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    process.send({ watchingDelay: true });
  }
  if (message === 'delay') {
    delay.disable();
    process.send({ delay: { p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 } });
  }
});
// The process exits with the bench, even if the bench crashes.
process.on('disconnect', () => process.exit(0));
