export { toAccountRecord } from './account.controller';
export { AccountExport } from './account-export';
export * from './accounts.module';
export { AccountsService, type Account } from './accounts.service';
export { Invitations } from './invitations';
export { planOf } from './plan';
export { Storage } from './storage';
