import type { CreateWebhook, EventType, Webhook } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import { UsageError } from '../errors.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import type { TextStyle } from '../output/terminal.ts';

const STYLES: Record<Webhook['state'], TextStyle> = { active: 'green', paused: 'dim', disabled: 'red' };

export const listWebhooks: CommandAction = async (context) => {
  const { terminal } = context;
  const webhooks = await context.createClient().webhooks.list().toArray();
  if (terminal.isJson) return terminal.writeJson(webhooks);
  if (webhooks.length === 0) return terminal.writeNotice('There are no webhooks.');
  const columns = [
    { title: 'ID' },
    { title: 'STATE' },
    { title: 'DELIVERED', priority: 2 },
    { title: 'EVENTS', priority: 3 },
    { title: 'URL', priority: 1 },
  ];
  terminal.writeTable(
    columns,
    webhooks.map((webhook) => [
      webhook.id,
      terminal.style(
        STYLES[webhook.state],
        webhook.failingSince === null ? webhook.state : `${webhook.state}, failing`,
      ),
      formatRelativeTime(webhook.lastDeliveryAt, context.now),
      webhook.events.length > 2 ? `${webhook.events.length} types` : webhook.events.join(', '),
      terminal.show(webhook.url),
    ]),
  );
};

export const createWebhook: CommandAction = async (context, input) => {
  const { terminal } = context;
  const events = input.listNames('events') as EventType[];
  const { data, signingSecret } = await context.createClient().webhooks.create(
    {
      url: input.getArgument('URL'),
      events: events.length > 0 ? events : ['*'],
      description: input.findOption('description'),
      // The command line accepts the formats only.
      format: input.findOption('format') as CreateWebhook['format'],
      headers: readHeaders(input.listOption('header')),
    },
    { idempotencyKey: input.findOption('idempotency-key') },
  );
  if (terminal.isJson) return terminal.writeJson({ ...data, signingSecret });
  terminal.writeFields([
    ['ID', data.id],
    ['Events', data.events.join(', ')],
    ['Secret', signingSecret ?? 'was shown when the webhook was created'],
  ]);
  if (signingSecret !== null) terminal.writeNotice('Store the secret. It is shown only this time.');
};

function readHeaders(pairs: string[]): Record<string, string> | undefined {
  const headers = pairs.map((pair): [string, string] => {
    const end = pair.indexOf('=');
    if (end < 1) throw new UsageError('--header takes NAME=VALUE.');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });
  return headers.length > 0 ? Object.fromEntries(headers) : undefined;
}

export const deleteWebhook: CommandAction = async (context, input) => {
  const { terminal } = context;
  const id = input.getArgument('WEBHOOK');
  await context.createClient().webhooks.delete(id);
  if (terminal.isJson) terminal.writeJson({ id, deleted: true });
  else terminal.writeLine(`Deleted ${id}.`);
};
