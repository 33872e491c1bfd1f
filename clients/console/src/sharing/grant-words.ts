import { formatRelativeTime } from '../lib/enhancements';
import { shortenId, showInvisibleCharacters } from '../lib/visible-text';
import type { KeyGrantRecord } from '../content/records';
import type { GrantRequest, SharingProps, ShareTarget } from './key-grants';

const DAY_MS = 86_400_000;
/** Relative times are rounded down. A grant of 7 days begins with "in 7 days" nevertheless. */
const ROUNDING_MS = 60_000;

/** How long a grant lasts. */
export const DURATIONS = [
  { days: null, text: 'Until revoked' },
  { days: 1, text: '1 day' },
  { days: 7, text: '7 days' },
  { days: 30, text: '30 days' },
] as const;

/** Returns the expiry of a grant that is created now. @param days empty for a grant that doesn't expire */
export function getExpiry(days: string, now: number): number | undefined {
  return days === '' ? undefined : now + Number(days) * DAY_MS;
}

/** Returns whom a grant covers: "Token deploys", "App Notes" or "All tokens". */
export function nameGrantee({ tokenId, appId }: KeyGrantRecord, { tokens, apps }: SharingProps): string {
  if (tokenId) return `Token ${findName(tokens, tokenId)}`;
  return appId ? `App ${findName(apps, appId)}` : 'All tokens';
}

/** Returns how the grantee reads, and until when: "through the service · expires in 3 d". */
export function describeGrant({ recipient, recipientKeyId, expiresAt }: KeyGrantRecord, now: number): string {
  const reader =
    recipient === 'service'
      ? 'through the service'
      : `only with your own key ${showInvisibleCharacters(shortenId(recipientKeyId))}`;
  return `${reader} · ${describeExpiry(expiresAt, now)}`;
}

function describeExpiry(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return 'until you revoke it';
  return expiresAt <= now ? 'expired' : `expires ${formatRelativeTime(expiresAt + ROUNDING_MS, now)}`;
}

/** Returns targets whose scopes let them read the granted content. A session's key may open its artifacts, too. */
export function findReaders(targets: readonly ShareTarget[], object: 'session' | 'artifact'): ShareTarget[] {
  const useful = object === 'session' ? ['sessions:content', 'artifacts:content'] : ['artifacts:content'];
  return targets.filter(({ scopes }) => scopes.some((scope) => useful.includes(scope)));
}

/** Reads the value of the form's field "Who": `all` for all tokens, otherwise the id of a token or an app. */
export function toGrantee(value: string): Pick<GrantRequest, 'tokenId' | 'appId'> {
  if (value === 'all') return {};
  return value.startsWith('tok_') ? { tokenId: value } : { appId: value };
}

function findName(targets: readonly ShareTarget[], id: string): string {
  const name = targets.find((target) => target.id === id)?.name;
  return name === undefined ? shortenId(id) : showInvisibleCharacters(name);
}
