export * from './cursor-codec';
export * from './keyset-pager';
