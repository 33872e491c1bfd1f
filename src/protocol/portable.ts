/** The part of the protocol that runs in browsers, too: nothing here uses a module of Node.js. */
export * from './crockford';
export * from './identity';
export * from './keys';
export * from './recovery-key';
export * from './sealed-key';
