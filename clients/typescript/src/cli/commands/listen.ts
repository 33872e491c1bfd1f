import { createHmac, randomBytes } from 'node:crypto';
import type { EventType, StreamEvent } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import type { CommandContext } from '../command-context.ts';
import { UsageError } from '../errors.ts';
import { formatClockTime } from '../output/relative-time.ts';
import { excludeLoopback } from '../proxies.ts';

/** As for real deliveries (docs/protocol/webhooks.md#request-format). */
const TIMEOUT_MS = 20_000;
const MAX_CONCURRENT = 10;
const SECRET_BYTES = 32;

export const listen: CommandAction = async (context, input) => {
  const target = parseTarget(input.findOption('forward'));
  excludeLoopback(target);
  const types = input.listNames('types') as EventType[];
  const key = randomBytes(SECRET_BYTES);
  const signingSecret = `whsec_${key.toString('base64')}`;
  const running = new Set<Promise<void>>();
  const events = context.createClient().events({ types: types.length > 0 ? types : undefined });
  for await (const event of events) {
    if (event.type === 'stream.opened') announce(context, target, signingSecret);
    if (event.id === null) continue;
    const delivery = forward(context, event, target, key).finally(() => running.delete(delivery));
    running.add(delivery);
    if (running.size >= MAX_CONCURRENT) await Promise.race(running);
  }
};

function parseTarget(text: string | undefined): URL {
  if (text === undefined) throw new UsageError('--forward is missing: the address of your server.');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('--forward takes an http or https address, such as http://localhost:4000/hooks.');
  return url;
}

function announce({ terminal }: CommandContext, target: URL, signingSecret: string): void {
  if (terminal.isJson) return terminal.writeJson({ type: 'listening', forward: target.href, signingSecret });
  terminal.writeFields([
    ['Forwarding to', target.href],
    ['Signing secret', `${signingSecret}`],
  ]);
  terminal.writeNotice('The secret is valid for this run. Press Ctrl-C to stop.\n');
}

/** Sends an event once, and prints how it went. */
async function forward({ terminal }: CommandContext, event: StreamEvent, target: URL, key: Buffer): Promise<void> {
  const { id, type, timestamp, data } = event;
  const body = JSON.stringify({ type, timestamp, data });
  const sentAt = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${sentAt}.${body}`).digest('base64');
  const startedAt = performance.now();
  let status: number | null = null;
  let error: string | null = null;
  try {
    const response = await fetch(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'external-api-webhooks',
        'webhook-id': id!,
        'webhook-timestamp': sentAt,
        'webhook-signature': `v1,${signature}`,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    status = response.status;
    await response.body?.cancel();
  } catch (failure) {
    const { name, cause } = failure as Error & { cause?: { code?: string } };
    error = name === 'TimeoutError' ? 'no answer within 20 s' : (cause?.code ?? 'no connection');
  }
  const durationMs = Math.round(performance.now() - startedAt);
  if (terminal.isJson) return terminal.writeJson({ type: 'delivery', event, status, error, durationMs });
  const isSuccess = status !== null && status >= 200 && status < 300;
  const result = terminal.style(isSuccess ? 'green' : 'red', status === null ? `${error}` : String(status));
  terminal.writeLine(
    `${terminal.style('dim', formatClockTime(timestamp ?? Date.now()))}  ${result}  ${type}  ${durationMs} ms`,
  );
}
