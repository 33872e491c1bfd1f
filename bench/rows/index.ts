import type { Row } from '../row';
import { consolePages } from './console-pages';
import { countUsage } from './count-usage';
import { deepPage } from './deep-page';
import { getMe } from './get-me';
import { listSessions } from './list-sessions';
import { outbox } from './outbox';
import { relay } from './relay';
import { relayAcross } from './relay-across';
import { relayCpu } from './relay-cpu';
import { socketMemory } from './socket-memory';
import { webhookIsolation } from './webhook-isolation';
import { webhookThroughput } from './webhook-throughput';

/** In the order of the table. */
export const rows: Row[] = [
  getMe,
  listSessions,
  deepPage,
  countUsage,
  relay,
  relayAcross,
  relayCpu,
  socketMemory,
  webhookThroughput,
  webhookIsolation,
  outbox,
  consolePages,
];
