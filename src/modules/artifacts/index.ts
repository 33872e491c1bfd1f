export { ArtifactContentPolicy } from './artifact-content-policy';
export { ArtifactDto } from './artifact.response.dto';
export * from './artifacts.module';
export { ArtifactsService, type ArtifactCiphertext } from './artifacts.service';
export { ArtifactAuthorizer } from './artifact-authorizer';
