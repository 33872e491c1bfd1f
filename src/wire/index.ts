export * from './crockford';
export * from './identity';
export * from './jwe';
export * from './keys';
export * from './relay-events';
