import { APP_SCOPES } from '../../auth';

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

/** Below the issuer. */
export const METADATA_PATH = '.well-known/oauth-authorization-server';

/** What this authorization server is and can (RFC 8414). */
export function serverMetadata(publicUrl: string) {
  const endpoint = (name: string) => `${publicUrl}/external/v1/oauth/${name}`;
  return {
    issuer: publicUrl,
    authorization_endpoint: endpoint('authorize'),
    token_endpoint: endpoint('token'),
    revocation_endpoint: endpoint('revoke'),
    introspection_endpoint: endpoint('introspect'),
    scopes_supported: APP_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    revocation_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    introspection_endpoint_auth_methods_supported: CLIENT_AUTHENTICATION,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}/docs/oauth`,
  };
}
