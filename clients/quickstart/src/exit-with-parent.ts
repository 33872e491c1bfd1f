/**
 * Loaded into the service before its own code (`node --require`). When the quickstart exits for any reason, the IPC
 * channel closes and the service shuts down gracefully.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
