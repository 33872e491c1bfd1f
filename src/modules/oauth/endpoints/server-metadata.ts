import { APP_SCOPES } from '../../../access/auth';

const CLIENT_AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post'];

/** Path relative to the issuer. */
export const SERVER_METADATA_PATH = '.well-known/oauth-authorization-server';

/** Builds the authorization server metadata (RFC 8414). */
export function buildServerMetadata(publicUrl: string) {
  const getEndpointUrl = (name: string) => `${publicUrl}/external/v1/oauth/${name}`;
  return {
    issuer: publicUrl,
    authorization_endpoint: getEndpointUrl('authorize'),
    token_endpoint: getEndpointUrl('token'),
    revocation_endpoint: getEndpointUrl('revoke'),
    introspection_endpoint: getEndpointUrl('introspect'),
    scopes_supported: APP_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION_METHODS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs/oauth`,
  };
}
