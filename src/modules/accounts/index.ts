export { toAccountDto } from './account.controller';
export { AccountAdminService, type AdminAccount } from './account-admin.service';
export { AccountExporter } from './account-exporter';
export { selectCallerAccountColumns, toCallerAccount, type CallerAccountRow } from './caller-account';
export * from './accounts.module';
export { AccountsService, type Account } from './accounts.service';
export { InvitationsService } from './invitations.service';
export { ACCOUNT_LIMIT_NAMES, getPlan, type AccountLimits } from './plan';
export { countRowBytes, StorageQuota } from './storage-quota';
