/** Browsers by the product in their user agents. Most name further products, so the first that is found counts. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['FxiOS', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['CriOS', 'Chrome'],
  ['Safari', 'Safari'],
] as const;

const SYSTEMS = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['CrOS', 'ChromeOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns the browser and system of a user agent, such as "Firefox on Linux"; null if it isn't a browser's. */
export function describeBrowser(userAgent: string): string | null {
  const find = (products: readonly (readonly [string, string])[]) =>
    products.find(([product]) => userAgent.includes(product))?.[1];
  const browser = userAgent.startsWith('Mozilla/') ? find(BROWSERS) : undefined;
  if (browser === undefined) return null;
  const system = find(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
