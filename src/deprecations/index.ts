export * from './deprecation';
export * from './deprecation-record';
export * from './deprecation.guard';
export * from './deprecations.module';
export * from './deprecations.service';
