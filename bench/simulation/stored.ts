import type { Constants } from './constants';
import { bytes, number, table } from './markdown';
import type { Traffic } from './traffic';

/** Rows that a table gets in a day, and how long they stay. */
interface Stored {
  table: string;
  key: string;
  perDay: number;
  formula: string;
  /** Days; null: until their account or session is deleted. */
  kept: number | null;
  /** Where that is said. */
  by: string;
}

function storedOf(traffic: Traffic): Stored[] {
  const { devices, relayCalls, keyedShare, messages, sessions, usageRows, toldShare } = traffic;
  const accounts = devices / traffic.devicesPerAccount;
  const deliveries = devices * messages * toldShare;
  return [
    {
      table: 'messages',
      key: 'Message',
      perDay: devices * messages,
      formula: 'devices × messages',
      kept: null,
      by: 'its session',
    },
    {
      table: 'sessions',
      key: 'Session',
      perDay: devices * sessions,
      formula: 'devices × sessions',
      kept: null,
      by: 'its account',
    },
    {
      table: 'relay_calls',
      key: 'RelayCall',
      perDay: devices * relayCalls,
      formula: 'devices × relayCalls',
      kept: 30,
      by: '`src/relay/relay.module.ts`',
    },
    {
      table: 'idempotency_keys',
      key: 'KeyedCall',
      perDay: devices * relayCalls * keyedShare,
      formula: 'devices × relayCalls × keyedShare',
      kept: 1,
      by: '`src/idempotency/`',
    },
    {
      table: 'usage_counts',
      key: 'UsageCount',
      perDay: accounts * usageRows,
      formula: 'accounts × usageRows',
      kept: 400,
      by: '`src/usage/usage.module.ts`',
    },
    {
      table: 'webhook_deliveries',
      key: 'Delivery',
      perDay: deliveries,
      formula: 'devices × messages × toldShare',
      kept: 30,
      by: '`src/webhooks/webhooks.module.ts`',
    },
    {
      table: 'webhook_attempts',
      key: 'Attempt',
      perDay: deliveries,
      formula: 'as many, were none tried twice',
      kept: 30,
      by: 'partitions of a day',
    },
  ];
}

/** PostgreSQL rows and bytes, a day and in all. */
export function tablesBlock(constants: Constants, traffic: Traffic): string {
  const rows = storedOf(traffic).map((each) => {
    const size = constants.value(`postgres.bytesPer${each.key}`);
    const day = each.perDay * size;
    return { ...each, size, day, kept: each.kept, stays: day * (each.kept ?? 365) };
  });
  const body = rows.map((row) => [
    `\`${row.table}\``,
    row.formula,
    number(row.perDay),
    `\`postgres.bytesPer${row.key}\` = ${number(row.size)}`,
    bytes(row.day),
    row.kept === null ? 'no end' : `${row.kept} d`,
    row.kept === null ? `${bytes(row.stays)} a year` : bytes(row.stays),
    row.by,
  ]);
  const day = rows.reduce((sum, row) => sum + row.day, 0);
  const bounded = rows.filter(({ kept }) => kept !== null).reduce((sum, { stays }) => sum + stays, 0);
  const yearly = rows.filter(({ kept }) => kept === null).reduce((sum, { stays }) => sum + stays, 0);
  body.push(['all', '', '', '', bytes(day), '', `${bytes(bounded)} and ${bytes(yearly)} a year`, '']);
  return table(
    [
      'Table',
      'Formula',
      { right: 'rows a day' },
      { right: 'bytes each' },
      { right: 'bytes a day' },
      { right: 'kept' },
      { right: 'lies there' },
      'ended by',
    ],
    body,
  );
}
