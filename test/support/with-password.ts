/** The same URL, saying this user and password. */
export function withPassword(url: string, user: string, password: string): string {
  return Object.assign(new URL(url), { username: user, password }).href;
}
