/** Runs autocannon in its own process, so that the load generator and the measured code don't share an event loop. */
const autocannon = require('autocannon');

process.on('message', async (message) => {
  if (!message.load) return;
  const { requests, ...options } = message.load;
  let connection = 0;
  try {
    const result = await autocannon({
      ...options,
      excludeErrorStats: true,
      // Each connection repeats one request. With a shared list, all connections would start with the first one.
      setupClient: (client) => client.setRequests([requests[connection++ % requests.length]]),
    });
    const { errors, timeouts, non2xx, duration } = result;
    process.send({ load: { ok: result['2xx'], refused: non2xx + errors + timeouts, seconds: duration } });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
