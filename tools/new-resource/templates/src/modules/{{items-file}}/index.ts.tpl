export * from './{{items-file}}.module';
export { {{Items}}Service } from './{{items-file}}.service';
export type { {{Item}}Dto } from './{{item-file}}.response.dto';
