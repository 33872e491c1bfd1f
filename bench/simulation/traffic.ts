/** What the arithmetic assumes of the accounts and their devices: inputs, to be replaced by one's own. */
export const TRAFFIC = {
  devices: { value: 1_000_000, unit: 'devices', means: 'connected at the same time' },
  instances: { value: 100, unit: 'instances', means: 'of the service, a core each' },
  devicesPerAccount: { value: 2, unit: 'devices', means: 'connected, of an account' },
  relayCalls: { value: 20, unit: 'a day', means: 'relayed calls per device' },
  acrossShare: { value: 0.99, unit: '', means: 'of them between two instances (1 − 1/instances)' },
  keyedShare: { value: 0.1, unit: '', means: 'of them with an Idempotency-Key' },
  requestBytes: { value: 500, unit: 'B', means: 'body of a relayed call' },
  answerBytes: { value: 2_000, unit: 'B', means: 'its answer' },
  metadataCalls: { value: 100, unit: 'a day', means: 'other calls of the External API per device' },
  messages: { value: 50, unit: 'a day', means: 'messages that a device appends' },
  sessions: { value: 2, unit: 'a day', means: 'sessions that a device begins' },
  usageRows: { value: 20, unit: 'a day', means: 'pairs of hour and operation in which an account is called' },
  toldShare: { value: 0.1, unit: '', means: 'messages whose account has a webhook for them' },
  reconnects: { value: 4, unit: 'a day', means: 'reconnects per device' },
  peak: { value: 4, unit: '', means: 'the busiest second over the mean of the day' },
  full: { value: 0.5, unit: '', means: 'of a processor that may be used at the peak' },
} satisfies Record<string, { value: number; unit: string; means: string }>;

export type Traffic = Record<keyof typeof TRAFFIC, number>;

/** @throws Error naming what is no number or no input */
export function trafficOf(given: Record<string, string | number> = {}): Traffic {
  const traffic = Object.fromEntries(Object.entries(TRAFFIC).map(([name, { value }]) => [name, value])) as Traffic;
  for (const [name, text] of Object.entries(given)) {
    const value = Number(text);
    if (!(name in TRAFFIC) || !Number.isFinite(value)) throw new Error(`--${name} ${text}`);
    traffic[name as keyof Traffic] = value;
  }
  return traffic;
}
