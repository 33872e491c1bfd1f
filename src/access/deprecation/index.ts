export * from './deprecation';
export * from './deprecation-notice.dto';
export * from './deprecation.guard';
export * from './deprecations.module';
export * from './deprecations.service';
