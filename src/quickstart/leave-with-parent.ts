/**
 * Loaded into the service before its own code (`node --require`): when the quickstart is gone, however it died, the
 * channel to it closes and the service stops as if it had been asked to.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
