export * from './capabilities';
export * from './fingerprint';
export * from './invocations';
export * from './jwe';
export * from './permission-requests';
export * from './portable';
export * from './socket-messages';
export * from './turns';
