/** @import { DeviceKeys, PublicJwk } from './keys.js' */

/**
 * @typedef {object} KnownDevice this browser as a device of one account
 * @property {string} accountId
 * @property {string} username
 * @property {DeviceKeys} keys
 * @property {string | null} enrollment pinned; null on an account's first device
 * @property {string} sealedContentKey the account's private content key, which only these keys open
 * @property {PublicJwk} contentPublicKey
 */

/**
 * @typedef {object} PendingSignUp kept before the service is asked and until a session stands, so that no lost answer
 * loses an account
 * @property {string} username
 * @property {number} triedAt Unix ms of the last attempt
 * @property {DeviceKeys} keys
 * @property {string} sealedContentKey
 * @property {PublicJwk} contentPublicKey
 * @property {DeviceKeys} recovery of the device on paper: of the key that was confirmed last
 */

/**
 * @typedef {object} PendingPairing
 * @property {'pairing'} kind
 * @property {DeviceKeys} keys
 * @property {string} id
 * @property {string} code
 * @property {number} expiresAt Unix ms
 */

/**
 * @typedef {object} PendingRecovery
 * @property {'recovery'} kind
 * @property {PublicJwk} by the device on paper that approves
 * @property {DeviceKeys} keys
 */

/**
 * @typedef {object} Pendings
 * @property {PendingPairing} pairing
 * @property {PendingRecovery} recovery
 */

const DEVICES = 'devices';
const PENDING = 'pending';
const SIGN_UPS = 'sign-ups';

/** @returns {Promise<KnownDevice[]>} */
export const knownDevices = () => inStore(DEVICES, 'readonly', (store) => store.getAll());

/** @param {KnownDevice} device */
export const keepDevice = (device) => inStore(DEVICES, 'readwrite', (store) => store.put(device));

/** @param {string} accountId */
export const forgetDevice = (accountId) => inStore(DEVICES, 'readwrite', (store) => store.delete(accountId));

/**
 * What was begun here and not ended, be it before a reload.
 * @template {keyof Pendings} K
 * @param {K} kind
 * @returns {Promise<Pendings[K] | undefined>}
 */
export const pending = (kind) => inStore(PENDING, 'readonly', (store) => store.get(kind));

/** @param {PendingPairing | PendingRecovery} begun */
export const keepPending = (begun) => inStore(PENDING, 'readwrite', (store) => store.put(begun));

/** @param {keyof Pendings} kind */
export const forgetPending = (kind) => inStore(PENDING, 'readwrite', (store) => store.delete(kind));

/** @returns {Promise<PendingSignUp[]>} */
export const pendingSignUps = () => inStore(SIGN_UPS, 'readonly', (store) => store.getAll());

/** @param {PendingSignUp} begun */
export const keepSignUp = (begun) => inStore(SIGN_UPS, 'readwrite', (store) => store.put(begun));

/** @param {string} username */
export const forgetSignUp = (username) => inStore(SIGN_UPS, 'readwrite', (store) => store.delete(username));

/**
 * Resolves when it is on disk. Keys are stored as they are: a script can use them, and nothing can read them.
 * @param {string} name
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest} act
 * @returns {Promise<any>}
 */
async function inStore(name, mode, act) {
  const database = await opened();
  try {
    const transaction = database.transaction(name, mode, { durability: 'strict' });
    const request = act(transaction.objectStore(name));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error ?? new Error('This browser could not keep its keys.'));
    });
    return request.result;
  } finally {
    database.close();
  }
}

/** @returns {Promise<IDBDatabase>} */
function opened() {
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
    request.onerror = () => reject(new Error('This browser keeps nothing here, so it cannot keep keys either.'));
  });
}
