export { ContentReader, type ContentReadResult } from './content/content-reader';
export {
  PlaintextContentDto,
  PlaintextPermissionContentDto,
  SealedContentDto,
  SealedPermissionContentDto,
} from './content/content.response.dto';
export * from './key-grants.module';
export { isRecipientPublicKey, pickRecipientKeyMembers, RecipientKeyDto } from './recipient-key';
