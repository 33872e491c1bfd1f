export { ArtifactContentPolicy } from './artifact-content-policy';
export * from './artifacts.module';
export { ArtifactsService } from './artifacts.service';
export { ArtifactAuthorizer } from './artifact-authorizer';
