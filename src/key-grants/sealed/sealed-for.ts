import { jweHeader, sealedKeyFault } from '../../wire';
import type { RecipientKey } from '../recipient-key';

/** Why this cannot be a key sealed to that recipient, as far as its header tells, or null. */
export function sealedForFault(sealed: string, { crv }: RecipientKey, keyId: string): string | null {
  const fault = sealedKeyFault(sealed);
  if (fault) return fault;
  const { epk, kid } = jweHeader(sealed) as { epk: { crv?: unknown }; kid?: unknown };
  if (epk.crv !== crv) return `must be sealed to a key on ${crv}`;
  return kid === undefined || kid === keyId ? null : 'names another key (kid)';
}
