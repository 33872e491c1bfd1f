export { ConsentService, type OpenConsentResult } from './consent/consent.service';
export type { RequestingAppDescription, ConsentPrompt } from './consent/consent-prompt';
export type { ConsentingUser } from './consent/oauth-requests.repository';
export { SERVER_METADATA_PATH, buildServerMetadata } from './endpoints/server-metadata';
export { IssuedOAuthTokensService } from './tokens/issued-oauth-tokens.service';
export * from './oauth.module';
