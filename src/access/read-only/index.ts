export { ReadOnlyModeService } from './read-only-mode.service';
export { ChangesData, changesData, ReadOnlyGuard, ReadsDataOnly } from './read-only.guard';
export * from './read-only.module';
