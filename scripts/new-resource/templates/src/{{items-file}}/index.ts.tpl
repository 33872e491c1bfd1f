export * from './{{items-file}}.module';
export { {{Items}}Service } from './{{items-file}}.service';
export type { {{Item}}Record } from './{{item-file}}-record';
