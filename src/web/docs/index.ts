export * from './docs.module';
