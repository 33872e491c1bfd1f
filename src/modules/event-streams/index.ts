export * from './event-streams.module';
