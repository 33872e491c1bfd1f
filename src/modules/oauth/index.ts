export { ConsentService } from './consent/consent.service';
export type { RequestingAppDescription, ConsentPrompt } from './consent/consent-prompt';
export { SERVER_METADATA_PATH, buildServerMetadata } from './endpoints/server-metadata';
export { IssuedOAuthTokensService } from './tokens/issued-oauth-tokens.service';
export * from './oauth.module';
