/** A call that makes a webhook, with a token that may. */
export function createCurl(publicUrl: string): string {
  const body = JSON.stringify({ url: 'https://example.com/hooks', events: ['session.created'] });
  return [
    `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${body}' \\`,
    `  ${publicUrl}/external/v1/webhooks`,
  ].join('\n');
}
