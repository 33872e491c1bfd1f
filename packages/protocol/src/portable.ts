/** The part of the protocol that runs in browsers, too: nothing here uses a module of Node.js. */
export type * from './agent-sessions';
export * from './attachments';
export * from './content';
export * from './crockford';
export * from './data-key';
export type * as DeviceRecords from './generated/device-records';
export * from './identity';
export * from './jwe';
export * from './key-grants';
export * from './keys';
export * from './permission-requests';
export * from './question-answers';
export * from './questions';
export * from './recipient-key';
export * from './recovery-key';
export * from './sealed-key';
export * from './sealing';
export * from './session-options';
