/**
 * A bare `undici` loop with HMAC. On `{deliver: {url, count, inFlight, body}}` it sends `count` requests and reports
 * the rate.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';

const agent = new Agent();
const key = randomBytes(32);

interface DeliveryBatch {
  url: string;
  count: number;
  inFlight: number;
  body: string;
}

async function sendWebhook(url: string, body: string): Promise<void> {
  const id = `evt_${randomBytes(13).toString('hex')}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const answer = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await answer.body.dump();
}

process.on('message', ({ deliver }: { deliver?: DeliveryBatch }) => {
  if (!deliver) return;
  const { url, count, inFlight, body } = deliver;
  let begun = 0;
  const worker = async () => {
    while (begun++ < count) await sendWebhook(url, body);
  };
  const startedAt = performance.now();
  void Promise.all(Array.from({ length: inFlight }, worker)).then(() => {
    process.send!({ rate: (count * 1000) / (performance.now() - startedAt) });
  });
});
