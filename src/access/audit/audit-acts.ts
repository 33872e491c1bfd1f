/** Kinds of records that an act concerns. */
export const AUDIT_TARGET_KINDS = [
  'account',
  'device',
  'token',
  'app',
  'key_grant',
  'permission_request',
  'webhook',
  'invitation',
  'service',
] as const;
export type AuditTargetKind = (typeof AUDIT_TARGET_KINDS)[number];

/** All acts of the audit trail, each with the kind of its target (docs/protocol/device-api.md#audit-events). */
export const AUDIT_ACTS = {
  'account.created': 'account',
  'account.exported': 'account',
  'account.signed_out': 'account',
  'account.suspended': 'account',
  'account.resumed': 'account',
  'account.limits_changed': 'account',
  'account.deleted': 'account',
  'device.signed_in': 'device',
  'device.signed_out': 'device',
  'device.added': 'device',
  'device.renamed': 'device',
  'device.revoked': 'device',
  'token.created': 'token',
  'token.rotated': 'token',
  'token.revoked': 'token',
  'app.authorized': 'app',
  'app.authorization_revoked': 'app',
  'app.created': 'app',
  'app.updated': 'app',
  'app.enabled': 'app',
  'app.disabled': 'app',
  'app.suspended': 'app',
  'app.resumed': 'app',
  'app.deleted': 'app',
  'app.authorizations_revoked': 'app',
  'app.secret_created': 'app',
  'app.secret_deleted': 'app',
  'key_grant.created': 'key_grant',
  'key_grant.revoked': 'key_grant',
  'permission_request.allowed': 'permission_request',
  'permission_request.rejected': 'permission_request',
  'webhook.created': 'webhook',
  'webhook.updated': 'webhook',
  'webhook.deleted': 'webhook',
  'webhook.disabled': 'webhook',
  'webhook.secret_rotated': 'webhook',
  'webhook.deliveries_replayed': 'webhook',
  'webhook.deliveries_cancelled': 'webhook',
  'invitation.created': 'invitation',
  'signing_secrets.reencrypted': 'service',
  'migration.applied': 'service',
  'migration.reverted': 'service',
  'read_only.started': 'service',
  'read_only.ended': 'service',
} as const satisfies Record<string, AuditTargetKind>;

export type AuditActName = keyof typeof AUDIT_ACTS;
export const AUDIT_ACT_NAMES = Object.keys(AUDIT_ACTS) as AuditActName[];

/** Kinds of actors. `service` is the service itself, in work that no request has caused. */
export const AUDIT_ACTOR_KINDS = ['device', 'browser', 'token', 'app', 'operator', 'service'] as const;
export type AuditActorKind = (typeof AUDIT_ACTOR_KINDS)[number];
