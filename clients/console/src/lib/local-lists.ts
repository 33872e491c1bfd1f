const PREFIX = 'external-api-local';

const toKey = (accountId: string, name: string): string => `${PREFIX}:${accountId}:${name}`;

/**
 * Lists of an account that only this browser keeps, newest first, such as folders in which agents were started. They
 * are deleted with the keys of the account. A browser that forbids access to its storage keeps none.
 */
export function readLocalList<T>(accountId: string, name: string): T[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(toKey(accountId, name)) ?? '[]');
    return Array.isArray(list) ? (list as T[]) : [];
  } catch {
    return [];
  }
}

export function writeLocalList<T>(accountId: string, name: string, list: readonly T[]): void {
  try {
    localStorage.setItem(toKey(accountId, name), JSON.stringify(list));
  } catch {
    // See above.
  }
}

/** Puts an entry in front of its list. @param isSame whether an older entry is replaced */
export function addLocalEntry<T>(
  accountId: string,
  name: string,
  entry: T,
  maxLength: number,
  isSame: (a: T, b: T) => boolean = (a, b) => a === b,
): void {
  const others = readLocalList<T>(accountId, name).filter((each) => !isSame(each, entry));
  writeLocalList(accountId, name, [entry, ...others].slice(0, maxLength));
}

export function deleteLocalLists(accountId: string): void {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(toKey(accountId, ''))) localStorage.removeItem(key);
  } catch {
    // See above.
  }
}
