import { Controller, Get, Header } from '@nestjs/common';
import { APP_SCOPES, Public } from '../../auth';
import { Config } from '../../config';

const CLIENT_AUTHENTICATION = ['client_secret_basic', 'client_secret_post'];

/** What this authorization server is and can (RFC 8414); public, so that any page may read it. */
@Controller('.well-known/oauth-authorization-server')
export class MetadataController {
  private readonly metadata: object;

  constructor({ publicUrl }: Config) {
    const endpoint = (name: string) => `${publicUrl}/external/v1/oauth/${name}`;
    this.metadata = {
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

  @Get()
  @Header('Access-Control-Allow-Origin', '*')
  @Header('Cache-Control', 'public, max-age=300')
  @Public()
  get(): object {
    return this.metadata;
  }
}
