/** Returns the URL with this user and password. */
export function setUrlCredentials(url: string, user: string, password: string): string {
  return Object.assign(new URL(url), { username: user, password }).href;
}
