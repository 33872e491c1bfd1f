/** A call that every token may make. */
export function meCurl(publicUrl: string, token = '$TOKEN'): string {
  return `curl -H "Authorization: Bearer ${token}" ${publicUrl}/external/v1/me`;
}
