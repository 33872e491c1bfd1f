export * from './fingerprint';
export * from './jwe';
export * from './portable';
export * from './socket-messages';
export * from './turns';
