/**
 * Calls one URL continuously and sequentially, and prints each latency as a line `milliseconds status`.
 * Runs in its own process, so that the load of an attacker in the test process doesn't affect the measurement.
 *   node bystander-process.mjs URL TOKEN
 */
import { request, Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** Of a call that waits for the service, at most this is missing from the latency, of which a second fails a test. */
const PAUSE_MS = 20;
const GIVE_UP_MS = 30_000;

const [url, token] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

for (;;) {
  const startedAt = performance.now();
  const status = await call();
  process.stdout.write(`${performance.now() - startedAt} ${status}\n`);
  await sleep(PAUSE_MS);
}

function call() {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}` };
    const outgoing = request(url, { agent, headers, timeout: GIVE_UP_MS }, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode));
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('timeout')));
    outgoing.once('error', () => resolve(0));
    outgoing.end();
  });
}
