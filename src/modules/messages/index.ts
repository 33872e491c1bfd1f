export { MessageDto } from './message.response.dto';
export * from './messages.module';
export { MessagesService, type MessageCiphertext } from './messages.service';
