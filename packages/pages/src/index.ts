/** What the service's pages and their browser programs both show. `./browser` needs the browser's own types. */
export * from './badge';
export * from './empty-state';
export { tokenizeCode } from './highlight/tokenize-code';
export * from './id';
export * from './table';
export * from './user-agent';
