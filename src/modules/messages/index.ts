export * from './messages.module';
export { MessagesService, type MessageCiphertext } from './messages.service';
