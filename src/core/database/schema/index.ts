export * from './check-schema';
export * from './schema-catalog';
export * from './schema-drift';
