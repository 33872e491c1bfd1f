/** The buckets that calls of an account's tokens draw on, in the order in which they are shown (external-api.md §1). */
export const ACCOUNT_BUCKETS = ['metadata', 'relay'] as const;

export type AccountBucket = (typeof ACCOUNT_BUCKETS)[number];

/** What draws on them. */
export const BUCKET_WORDS: Record<AccountBucket, string> = {
  metadata: 'every call that is not relayed',
  relay: 'sending a message, running a command',
};
