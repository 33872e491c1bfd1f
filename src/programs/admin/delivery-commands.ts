import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  DeliveryAdminService,
  WEBHOOK_DELIVERY_STATES,
  type DeliverySearch,
  type DeliverySelection,
  type DeliveryTarget,
} from '../../modules/webhooks';
import { findAccountByName } from './account-commands';
import { addCommand, addLimitOption, addRecordedCommand, runOnDatabase, type CommandContext } from './command-runner';

/** Forms of ISO 8601. `Date` takes nearly any text with a number for a date, such as 1 for the first day of 2001. */
const TIME_PATTERN = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Options that select webhooks. Exactly one is given. */
interface SelectionOptions {
  account?: string;
  webhook?: string;
  delivery?: string;
}

interface ListOptions extends SelectionOptions, Omit<DeliverySearch, 'eventId'> {
  event?: string;
}

interface RequeueOptions extends SelectionOptions {
  since: Date;
  dryRun?: true;
}

interface DropOptions extends SelectionOptions {
  event?: string;
  dryRun?: true;
}

/** Adds the commands for the webhook deliveries of any account. */
export function addDeliveryCommands(program: Command): void {
  addLimitOption(addSelection(addCommand(program, 'deliveries')))
    .description('Print webhook deliveries of a webhook or of an account, newest first, with `next` for the next page')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(WEBHOOK_DELIVERY_STATES))
    .option('--event <id>', 'only deliveries of this event')
    .option('--before <id>', 'only deliveries older than this one: `next` of the page before')
    .action(runOnDatabase(listDeliveries));
  addSelection(addRecordedCommand(program, 'requeue-deliveries'))
    .description('Replay failed deliveries: create a new delivery of each event whose latest delivery failed')
    .option('--delivery <id>', 'replay this delivery, whatever its state')
    .addOption(
      new Option('--since <time>', 'only events since this time, such as 2026-11-24T08:00:00Z')
        .argParser(parseTime)
        .default(new Date(0))
        .conflicts('delivery'),
    )
    .option('--dry-run', 'only count them')
    .action(runOnDatabase(requeueDeliveries));
  addSelection(addRecordedCommand(program, 'drop-deliveries'))
    .description('Cancel pending deliveries, which are not sent again')
    .option('--event <id>', 'only deliveries of this event')
    .option('--dry-run', 'only count them')
    .action(runOnDatabase(dropDeliveries));
}

function addSelection(command: Command): Command {
  return command
    .option('--webhook <id>', 'deliveries of this webhook')
    .option('--account <name>', 'deliveries of all webhooks of this account, by username or id');
}

async function listDeliveries(context: CommandContext, options: ListOptions): Promise<void> {
  const { event: eventId, state, before, limit } = options;
  const search = { limit, ...(state && { state }), ...(before && { before }), ...(eventId && { eventId }) };
  const target = await findTarget(context, options);
  if (before !== undefined) await findTarget(context, { delivery: before });
  const data = await context.get(DeliveryAdminService).findDeliveries(target, search);
  context.writeJson({ data, next: data.length === limit ? data.at(-1)!.id : null });
}

async function requeueDeliveries(context: CommandContext, options: RequeueOptions): Promise<void> {
  const deliveries = context.get(DeliveryAdminService);
  const { delivery, since, dryRun = false } = options;
  const target = await findTarget(context, options);
  if (delivery !== undefined) {
    const created = dryRun ? null : await deliveries.replayDelivery(target, delivery);
    context.writeJson({ requeued: dryRun ? 0 : 1, matching: 1, created });
    return;
  }
  const matching = await deliveries.countReplayable(target, since);
  const requeued = dryRun ? 0 : await deliveries.replayFailedDeliveries(target, since);
  context.writeJson({ requeued, matching });
  if (requeued > 0) context.writeRemark('Running instances send them within seconds, unless the webhook is paused.');
  if (!dryRun && requeued < matching)
    context.writeRemark('Too many deliveries are pending for the others. Repeat this once these have been delivered.');
}

async function dropDeliveries(context: CommandContext, options: DropOptions): Promise<void> {
  const deliveries = context.get(DeliveryAdminService);
  const { event = null, dryRun = false } = options;
  const target = await findTarget(context, options);
  const matching = await deliveries.countPending(target, event);
  const dropped = dryRun ? 0 : await deliveries.cancelPendingDeliveries(target, event);
  context.writeJson({ dropped, matching });
  if (dropped > 0) context.writeRemark('Cancelled. Attempts in flight finish, but are not repeated.');
}

/** @throws Error unless exactly one selection is given and exists */
async function findTarget(context: CommandContext, options: SelectionOptions): Promise<DeliveryTarget> {
  const { account, webhook, delivery } = options;
  const given = Object.entries({ account, webhook, delivery }).filter(([, value]) => value !== undefined);
  if (given.length !== 1)
    throw new Error('Give one of --webhook and --account, or --delivery where the command has this option.');
  const selection: DeliverySelection =
    account !== undefined
      ? { accountId: (await findAccountByName(context, account)).id }
      : webhook !== undefined
        ? { webhookId: webhook }
        : { deliveryId: delivery! };
  const target = await context.get(DeliveryAdminService).findTarget(selection);
  const [[kind, name]] = given as [[string, string]];
  if (!target) throw new Error(`There is no ${kind} "${name}".`);
  return target;
}

/** @throws InvalidArgumentError */
function parseTime(text: string): Date {
  const isUnixMs = /^\d{13}$/.test(text);
  const time = new Date(isUnixMs ? Number(text) : text);
  if (Number.isNaN(time.getTime()) || !(isUnixMs || TIME_PATTERN.test(text)))
    throw new InvalidArgumentError('Use a time such as 2026-11-24T08:00:00Z, or Unix ms.');
  return time;
}
