export * from './{{items-file}}.module';
export { {{Items}}Service } from './{{items-file}}.service';
export { {{Item}}Dto } from './{{item-file}}.response.dto';
