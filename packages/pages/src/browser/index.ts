/** Parts of pages that need the browser's own types. */
export * from './copy-buttons';
export * from './search/rank-entries';
export * from './search/search-dialog';
