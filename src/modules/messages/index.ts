export * from './messages.module';
export { MessagesService } from './messages.service';
