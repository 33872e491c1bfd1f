import { METADATA_PATH, serverMetadata } from '../../oauth';

/** What every client library asks first. */
export function metadataCurl(publicUrl: string): string {
  return `curl -s ${publicUrl}/${METADATA_PATH}`;
}

/**
 * Shell lines that print a good authorization request of the app. Each run makes a verifier of its own: a link that is
 * shown to read could not, and a code without its verifier is worth nothing.
 */
export function authorizeLines(publicUrl: string, clientId: string, redirectUri: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'profile:read',
    state: 'try',
    code_challenge_method: 'S256',
  });
  return [
    'VERIFIER=$(openssl rand -hex 32)',
    `CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d =)`,
    `echo "${serverMetadata(publicUrl).authorization_endpoint}?${query.toString()}&code_challenge=$CHALLENGE"`,
  ].join('\n');
}

/** The call that makes tokens of the code, in the same shell. */
export function tokenLines(publicUrl: string, clientId: string, redirectUri: string): string {
  const redirect = new URLSearchParams({ redirect_uri: redirectUri });
  return [
    `curl -s ${serverMetadata(publicUrl).token_endpoint} -u "${clientId}:$CLIENT_SECRET" \\`,
    `  -d grant_type=authorization_code -d "code=$CODE" -d "code_verifier=$VERIFIER" \\`,
    `  -d "${redirect.toString()}"`,
  ].join('\n');
}
