import type { EncryptionKey, SigningKey } from '@external-api/protocol/portable';
import { deleteLocalLists } from './local-lists';
import type { BrowserKeys } from './keys';

/** This browser as a device of one account. */
export interface KnownDevice {
  accountId: string;
  username: string;
  keys: BrowserKeys;
  /** Pinned; null on an account's first device. */
  enrollment: string | null;
  /** The account's private content key, which only these keys open. */
  sealedContentKey: string;
  contentPublicKey: EncryptionKey;
}

/** Stored before the request and until the first login succeeds, so that a lost response does not lose the account. */
export interface PendingSignUp {
  username: string;
  /** Unix ms of the last attempt. */
  triedAt: number;
  keys: BrowserKeys;
  sealedContentKey: string;
  contentPublicKey: EncryptionKey;
  /** Device keys of the recovery key that was confirmed last. */
  recovery: BrowserKeys;
}

export interface PendingPairing {
  kind: 'pairing';
  keys: BrowserKeys;
  id: string;
  code: string;
  /** Unix ms */
  expiresAt: number;
}

export interface PendingRecovery {
  kind: 'recovery';
  /** Public signing key of the recovery key that approves. */
  by: SigningKey;
  keys: BrowserKeys;
}

interface PendingByKind {
  pairing: PendingPairing;
  recovery: PendingRecovery;
}

const DEVICES = 'devices';
const PENDING = 'pending';
const SIGN_UPS = 'sign-ups';

export const listKnownDevices = () =>
  useStore(DEVICES, 'readonly', (store) => store.getAll() as IDBRequest<KnownDevice[]>);

export const keepDevice = (device: KnownDevice) => useStore(DEVICES, 'readwrite', (store) => store.put(device));

/** Deletes the keys of an account, and what else the browser keeps of it. */
export function forgetDevice(accountId: string): Promise<undefined> {
  deleteLocalLists(accountId);
  return useStore(DEVICES, 'readwrite', (store) => store.delete(accountId));
}

/** Returns an unfinished pairing or recovery of this browser, which survives reloads. */
export const findPending = <K extends keyof PendingByKind>(kind: K) =>
  useStore(PENDING, 'readonly', (store) => store.get(kind) as IDBRequest<PendingByKind[K] | undefined>);

export const keepPending = (pending: PendingPairing | PendingRecovery) =>
  useStore(PENDING, 'readwrite', (store) => store.put(pending));

export const forgetPending = (kind: keyof PendingByKind) =>
  useStore(PENDING, 'readwrite', (store) => store.delete(kind));

export const listPendingSignUps = () =>
  useStore(SIGN_UPS, 'readonly', (store) => store.getAll() as IDBRequest<PendingSignUp[]>);

export const keepSignUp = (signUp: PendingSignUp) => useStore(SIGN_UPS, 'readwrite', (store) => store.put(signUp));

export const forgetSignUp = (username: string) => useStore(SIGN_UPS, 'readwrite', (store) => store.delete(username));

/**
 * Resolves once the data is on disk. Keys are stored as non-extractable CryptoKeys: scripts can use but not read them.
 */
async function useStore<T>(
  name: string,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await openDatabase();
  try {
    const transaction = database.transaction(name, mode, { durability: 'strict' });
    const request = act(transaction.objectStore(name));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? new Error('This browser could not store its keys.'));
    });
    return request.result;
  } finally {
    database.close();
  }
}

/** @throws Error if the browser does not let the site store data; some throw at once then, others report it later */
async function openDatabase(): Promise<IDBDatabase> {
  try {
    return await requestDatabase();
  } catch (error) {
    const message = 'This browser does not allow this site to store data, so it cannot store keys.';
    throw new Error(message, { cause: error });
  }
}

function requestDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('external-api-console', 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion < 1) {
        request.result.createObjectStore(DEVICES, { keyPath: 'accountId' });
        request.result.createObjectStore(PENDING, { keyPath: 'kind' });
      }
      request.result.createObjectStore(SIGN_UPS, { keyPath: 'username' });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('The database could not be opened.'));
  });
}
