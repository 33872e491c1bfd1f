/** @param allowedHosts names in lower case. `*.` stands for one or more labels. */
export function isAllowedPushHost(endpoint: string, allowedHosts: readonly string[]): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { hostname } = new URL(endpoint);
  return allowedHosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host));
}
