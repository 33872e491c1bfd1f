import { readFile } from 'node:fs/promises';
import type { CreateWebhook, EventType, Webhook } from '../../index.ts';
import type { CommandAction } from '../command-line/command-spec.ts';
import { UsageError } from '../errors.ts';
import { formatRelativeTime } from '../output/relative-time.ts';
import { readInput, type TextStyle } from '../output/terminal.ts';
import { decodeText } from '../utf8-text.ts';

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
      headers: await readHeaders(input.listOption('header')),
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

async function readHeaders(pairs: string[]): Promise<Record<string, string> | undefined> {
  const headers: [string, string][] = [];
  for (const pair of pairs) {
    const end = pair.indexOf('=');
    if (end < 1) throw new UsageError('--header takes NAME=VALUE or NAME=@FILE.');
    headers.push([pair.slice(0, end), await readHeaderValue(pair.slice(end + 1))]);
  }
  return headers.length > 0 ? Object.fromEntries(headers) : undefined;
}

/** Other users of the computer can see arguments, so a secret comes from a file. A value may begin with `@` as `@@`. */
async function readHeaderValue(value: string): Promise<string> {
  if (!value.startsWith('@')) return value;
  const file = value.slice(1);
  if (file.startsWith('@')) return file;
  const text = (file === '-' ? await readInput() : await readText(file)).trim();
  if (text === '') throw new UsageError(`${file === '-' ? 'Standard input' : file} has no value for --header.`);
  return text;
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} can't be read: ${error.code}.`);
  });
  return decodeText(bytes, file);
}

export const deleteWebhook: CommandAction = async (context, input) => {
  const { terminal } = context;
  const id = input.getArgument('WEBHOOK');
  await context.createClient().webhooks.delete(id);
  if (terminal.isJson) terminal.writeJson({ id, deleted: true });
  else terminal.writeLine(`Deleted ${id}.`);
};
