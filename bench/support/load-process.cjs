/** autocannon in a process of its own, so that what makes the load shares no event loop with what is measured. */
const autocannon = require('autocannon');

process.on('message', async (message) => {
  if (!message.load) return;
  const { requests, ...options } = message.load;
  let connection = 0;
  try {
    const result = await autocannon({
      ...options,
      excludeErrorStats: true,
      // Each connection keeps to one of the requests: with a shared list all would begin with the first.
      setupClient: (client) => client.setRequests([requests[connection++ % requests.length]]),
    });
    const { errors, timeouts, non2xx, duration } = result;
    process.send({ load: { ok: result['2xx'], refused: non2xx + errors + timeouts, seconds: duration } });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
