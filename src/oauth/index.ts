export { ConsentRequests, type OpenedConsent } from './consent/consent-requests';
export type { AppDescription, ConsentQuestion } from './consent/consent-question';
export type { ConsentingPerson } from './consent/oauth-requests.repository';
export * from './oauth.module';
export { OAuthTokenVerifier } from './tokens/oauth-token-verifier';
