export { ConsentRequests, type OpenedConsent } from './consent/consent-requests';
export type { AppDescription, ConsentQuestion } from './consent/consent-question';
export type { ConsentingPerson } from './consent/oauth-requests.repository';
export { METADATA_PATH, serverMetadata } from './endpoints/server-metadata';
export * from './oauth.module';
export { OAuthTokenVerifier } from './tokens/oauth-token-verifier';
