export * from './packages.module';
