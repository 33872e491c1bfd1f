export { ArtifactAccess } from './artifact-access';
export * from './artifacts.module';
export { ArtifactsService } from './artifacts.service';
