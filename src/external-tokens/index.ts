export type { ExternalTokenRecord } from './external-token-record';
export { ExternalTokenVerifier } from './external-token-verifier';
export { CreateExternalTokenDto, RotateExternalTokenDto } from './external-tokens.dto';
export * from './external-tokens.module';
export { ExternalTokensService, type TokenWithSecret } from './external-tokens.service';
