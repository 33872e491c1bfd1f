import { formatProblem } from '../components/mount-page';
import type { AccountApi } from '../content/account-api';
import type { AccountKeys } from '../content/account-keys';
import type { SessionRecord } from '../content/records';
import { getExpiry, toGrantee } from './grant-words';
import { KeyGranter, openSessionKey, type GrantRequest } from './key-grants';

/** Result of a grant by the session's id: a sentence on the failure, or null. */
export type SharingResults = ReadonlyMap<string, string | null>;

interface SharingOrder {
  api: AccountApi;
  keys: AccountKeys;
  /** Configured address of the host, to which a grant is bound. */
  audience: string;
  /** Id of the token, or client id of the app. */
  granteeId: string;
  sessions: readonly SessionRecord[];
  /** Empty for grants that don't expire. */
  days: string;
  /** Unix ms after which no further grant begins. */
  deadline?: number;
  /** Called after each session. */
  onResult: (results: SharingResults) => void;
}

/** Grants the keys of sessions to a token or an app, one after the other. A failure doesn't stop the others. */
export async function grantSessions(order: SharingOrder): Promise<SharingResults> {
  const { api, keys, audience, granteeId, sessions, days, deadline = Infinity, onResult } = order;
  const request = { ...toGrantee(granteeId), expiresAt: getExpiry(days, Date.now()) };
  const granter = new KeyGranter(api, { accountId: keys.accountId, aud: audience });
  let results: SharingResults = new Map();
  for (const session of sessions) {
    const failure =
      Date.now() < deadline ? await grantSession(api, keys, granter, session, request) : 'There was no time left.';
    results = new Map(results).set(session.id, failure);
    onResult(results);
  }
  return results;
}

export const countFailures = (results: SharingResults): number =>
  [...results.values()].filter((result) => result !== null).length;

export const countSessions = (count: number): string => (count === 1 ? '1 session' : `${count} sessions`);

/** Returns a sentence on the failure, or null. */
async function grantSession(
  api: AccountApi,
  keys: AccountKeys,
  granter: KeyGranter,
  session: SessionRecord,
  request: GrantRequest,
): Promise<string | null> {
  try {
    const dataKey = await openSessionKey(api, keys, session);
    await granter.grantKey({ object: 'session', id: session.id }, dataKey, request);
    return null;
  } catch (error) {
    return formatProblem(error);
  }
}
