export { ArtifactAccess } from './artifact-access';
export * from './artifacts.module';
export { ArtifactsService, type ArtifactCiphertext } from './artifacts.service';
export { HostedArtifacts } from './hosted-artifacts';
