export { toAccountRecord } from './account.controller';
export { AccountControl, type ControlledAccount } from './account-control';
export { AccountExport } from './account-export';
export { callerAccountColumns, callerAccountOf, type CallerAccountRow } from './caller-account';
export * from './accounts.module';
export { AccountsService, type Account } from './accounts.service';
export { Invitations } from './invitations';
export { OWN_LIMITS, planOf, type AccountLimits } from './plan';
export { Storage } from './storage';
