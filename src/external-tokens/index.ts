export * from './external-tokens.module';
export { ExternalTokensService } from './external-tokens.service';
export { ExternalTokenVerifier } from './external-token-verifier';
