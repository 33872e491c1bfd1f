import type { RelayCaller } from '@external-api/protocol';

/** What the device answers when an agent asks before it uses a tool. */
export const PERMISSION_POLICIES = ['ask', 'reject', 'allow'] as const;
export type PermissionPolicy = (typeof PERMISSION_POLICIES)[number];

/** Whether the caller may run commands: not an app, and not a caller that an older service doesn't name. */
export function isTrustedCaller(caller: RelayCaller | null): boolean {
  return caller === 'pat' || caller === 'device';
}

/**
 * Returns the policy of one request. Apps may not run commands, so `allow` means `ask` in a session whose agent an app
 * has prompted. Where the service can't pass on a decision, `ask` means `reject`.
 * @param configured the machine's option; undefined: `ask`
 * @param isTrusted whether only trusted callers have prompted the agent
 */
export function choosePermissionPolicy(
  configured: PermissionPolicy | undefined,
  isTrusted: boolean,
  canAsk: boolean,
): PermissionPolicy {
  if (configured === 'reject' || (configured === 'allow' && isTrusted)) return configured;
  return canAsk ? 'ask' : 'reject';
}
