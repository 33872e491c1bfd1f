import type { Traffic } from './traffic';

const DAY_SECONDS = 86_400;

/** Something that happens, and how often. Its name is the one in the keys of constants.json: `…PerRelayCall`. */
export interface Kind {
  name: string;
  label: string;
  perDay: number;
  /** Inputs, for people. */
  formula: string;
}

/** What the accounts and devices do. */
export function kindsOf(traffic: Traffic): Kind[] {
  const { devices } = traffic;
  const relayed = devices * traffic.relayCalls * traffic.acrossShare;
  return [
    {
      name: 'RelayCall',
      label: 'relayed calls between instances',
      perDay: relayed * (1 - traffic.keyedShare),
      formula: 'devices × relayCalls × acrossShare × (1 − keyedShare)',
    },
    {
      name: 'KeyedCall',
      label: 'the same with a key',
      perDay: relayed * traffic.keyedShare,
      formula: 'devices × relayCalls × acrossShare × keyedShare',
    },
    {
      name: 'MetadataCall',
      label: 'other API calls',
      perDay: devices * traffic.metadataCalls,
      formula: 'devices × metadataCalls',
    },
    {
      name: 'Message',
      label: 'messages appended',
      perDay: devices * traffic.messages,
      formula: 'devices × messages',
    },
    {
      name: 'Session',
      label: 'sessions begun',
      perDay: devices * traffic.sessions,
      formula: 'devices × sessions',
    },
    {
      name: 'Delivery',
      label: 'webhook deliveries',
      perDay: devices * traffic.messages * traffic.toldShare,
      formula: 'devices × messages × toldShare',
    },
    {
      name: 'Reconnect',
      label: 'reconnects',
      perDay: devices * traffic.reconnects,
      formula: 'devices × reconnects',
    },
  ];
}

export function meanOf({ perDay }: Kind): number {
  return perDay / DAY_SECONDS;
}

export function peakOf(kind: Kind, { peak }: Traffic): number {
  return meanOf(kind) * peak;
}
