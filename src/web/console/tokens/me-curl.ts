/** Builds a call that any token is allowed to make. */
export function buildMeCurl(publicUrl: string, token = '$TOKEN'): string {
  return `curl -H "Authorization: Bearer ${token}" ${publicUrl}/external/v1/me`;
}
